import { expect, it } from "vitest";
import { messageInBody, parseErrorEnvelope } from "../../../src/api/error-body.ts";
import { errorBody } from "../../helpers/builders.ts";

it.each<[body: string, unknown, isEnvelope: boolean]>([
  ["an error with a code and a message", errorBody("UNAUTHORIZED"), true],
  ["an error with a code alone", { error: { code: "FORBIDDEN" } }, true],
  ["an error with a message alone", { error: { message: "No." } }, false],
  ["an error as text", { error: "forbidden" }, false],
  ["a list", [], false],
  ["null", null, false],
])("A body with %s is one of the API's errors or not", (_case, body, isEnvelope) => {
  expect(parseErrorEnvelope(JSON.stringify(body)) !== undefined).toBe(isEnvelope);
});

it.each([
  ['{"success":false,"message":"Webhook is locked"}', "Webhook is locked"],
  ['{"message":1}', ""],
  ["null", ""],
  ["<html>", ""],
])("The message in the body %s is %j", (body, message) => {
  expect(messageInBody(body)).toBe(message);
});
