import { expect, it } from "vitest";
import type { HttpOutcome } from "../../src/api/send-once.ts";
import { isApiError, messageInBody } from "../../src/api/service-error.ts";
import { errorBody } from "../helpers/builders.ts";
import { connectionLost, response } from "../helpers/transport.ts";

const forbidden = (body: unknown) => response(403, undefined, body);

it.each<[outcome: string, HttpOutcome, isApiError: boolean]>([
  ["an error with a code and a message", forbidden(errorBody("UNAUTHORIZED")), true],
  ["an error with a code alone", forbidden({ error: { code: "FORBIDDEN" } }), true],
  ["an error with a message alone", forbidden({ error: { message: "No." } }), false],
  ["an error as text", forbidden({ error: "forbidden" }), false],
  ["a list", forbidden([]), false],
  ["null", forbidden(null), false],
  ["no response", connectionLost, false],
])("Of %s, isApiError says whether it is an error of the API", (_outcome, outcome, expected) => {
  expect(isApiError(outcome)).toBe(expected);
});

it.each([
  ['{"success":false,"message":"Webhook is locked"}', "Webhook is locked"],
  ['{"message":1}', ""],
  ["null", ""],
  ["<html>", ""],
])("The message in the body %s is %j", (body, message) => {
  expect(messageInBody(body)).toBe(message);
});
