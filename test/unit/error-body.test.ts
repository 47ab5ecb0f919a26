import { expect, it } from "vitest";
import { messageInBody, parseErrorEnvelope, secretsInBody } from "../../src/api/error-body.ts";
import { errorBody } from "../helpers/builders.ts";

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

it.each<[body: string, secrets: readonly string[]]>([
  ['{"secret":"abc-1"}', ["abc-1"]],
  ['{"a":[{"secret" : "abc-1"},{"signingSecret":"def-2"}]}', ["abc-1", "def-2"]],
  [JSON.stringify({ echo: JSON.stringify({ secret: "abc-1" }) }), ['abc-1\\"}']],
  [JSON.stringify({ secret: "abc'def" }), ["abc'def"]],
  [JSON.stringify({ secret: 'abc"def' }), ['abc\\"def']],
  ["Bad request: {'secret': 'abc-1'}", ["abc-1"]],
  ["POST /hooks?secret=abc-1&x=2 failed", ["abc-1"]],
  ["POST /hooks?client_secret%3Dabc-1 failed", ["abc-1"]],
  ['{"secrets":["abc-1"],"secret_key":"def-2"}', ["abc-1", "def-2"]],
  ["Invalid secret: verification failed", []],
  ['{"secret":17,"secrets":[]}', []],
])("The secrets in the body %s are %j", (body, secrets) => {
  expect(secretsInBody(body)).toEqual(secrets);
});
