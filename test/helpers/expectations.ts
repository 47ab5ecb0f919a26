import { expect } from "vitest";

/** Asserts that a text is fit for one line of Pulumi's output. */
export function expectPrintable(line: string): void {
  expect(line.length).toBeGreaterThan(10);
  expect(Buffer.byteLength(line)).toBeLessThan(2_048);
  expect(line.isWellFormed()).toBe(true);
  expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
}

/** Asserts that no input such as `__proto__` has added a property to every object. */
export function expectNoPrototypePollution(): void {
  expect(Object.keys(Object.prototype)).toEqual([]);
}
