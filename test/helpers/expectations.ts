import { expect } from "vitest";

/**
 * Asserts that a text is not empty and fits in one line of Pulumi's output: under 2 kB, and
 * printable.
 */
export function expectPrintable(line: string): void {
  expect(line).not.toBe("");
  expect(Buffer.byteLength(line)).toBeLessThan(2_048);
  expect(line.isWellFormed()).toBe(true);
  expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
}

/** Asserts that no input such as `__proto__` has added a property to every object. */
export function expectNoPrototypePollution(): void {
  expect(Object.keys(Object.prototype)).toEqual([]);
}
