import { expect, it } from "vitest";
import { isCompleteList, type ListExtent } from "../../../src/api/list-completeness.ts";

const whole: ListExtent = { isStored: false, mayBePartial: false, totalCounts: ["7"] };

it.each([
  { response: {}, isComplete: true },
  { response: { extent: whole }, isComplete: true },
  { response: { extent: { ...whole, totalCounts: ["7", "8"] } }, isComplete: false },
  { response: { extent: { ...whole, totalCounts: [""] } }, isComplete: false },
  { response: { extent: { ...whole, mayBePartial: true } }, isComplete: false },
  { response: { extent: { ...whole, isStored: true } }, isComplete: false },
  { response: { statusCode: 206 }, isComplete: false },
  { body: { webhooks: [], success: true }, isComplete: true },
  { body: { webhooks: [], next: "page 2" }, isComplete: false },
])("A list of 7 entries with $response and $body is complete: $isComplete", (row) => {
  const { response = {}, body = {}, isComplete } = row;

  expect(isCompleteList({ statusCode: 200, ...response }, body, 7)).toBe(isComplete);
});
