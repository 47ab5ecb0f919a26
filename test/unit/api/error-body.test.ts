import { expect, it } from "vitest";
import { errorCodeOf, errorMessageOf } from "../../../src/api/error-body.ts";
import { errorBody } from "../../helpers/builders.ts";

it.each<[body: string, unknown, isEnvelope: boolean]>([
  ["an error with a code and a message", errorBody("UNAUTHORIZED"), true],
  ["an error with a code alone", { error: { code: "FORBIDDEN" } }, true],
  ["an error whose code is a number", { error: { code: 404, message: "No." } }, false],
  ["an error with a message alone", { error: { message: "No." } }, false],
  ["an error as text", { error: "forbidden" }, false],
  ["a list", [], false],
  ["null", null, false],
])("A body with %s is one of the API's errors or not", (_case, body, isEnvelope) => {
  expect(errorCodeOf(JSON.stringify(body)) !== undefined).toBe(isEnvelope);
});

it.each([
  ['{"error":{"code":"BAD_REQUEST","message":"No such table"}}', "No such table"],
  ['{"error":{"message":"No such table"}}', "No such table"],
  ['{"error":{"code":"BAD_REQUEST"},"message":"No such table"}', "No such table"],
  ['{"error":"No such table"}', "No such table"],
  ['{"error":"Bad Request","message":"No such table"}', "No such table"],
  ['{"error":" ","message":"","detail":"No such table"}', "No such table"],
  ['{"success":false,"message":"Webhook is locked"}', "Webhook is locked"],
  ['{"type":"about:blank","title":"Forbidden","detail":"No such table"}', "No such table"],
  ['{"message":["url must be https","events: too many"]}', "url must be https; events: too many"],
  ['{"message":["url must be https"],"error":"Bad Request"}', "url must be https"],
  ['{"message":["",""],"error":"events are taken"}', "events are taken"],
  ['{"message":[" ","events are taken"]}', "events are taken"],
  ['{"message":[{"code":1}],"error":"Bad Request"}', "Bad Request"],
  ['{"message":1,"error":null,"detail":[]}', ""],
  ["null", ""],
  ["5", ""],
  ["<html>", ""],
])("The reason in the body %s is %j", (body, reason) => {
  expect(errorMessageOf(body)).toBe(reason);
});
