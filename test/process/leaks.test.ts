import type { ServiceError } from "@grpc/grpc-js";
import { expect, it } from "vitest";
import { adapters, startAdapter } from "../helpers/adapters/adapters.ts";
import { apiKey, errorBody, secret, someArgs } from "../helpers/builders.ts";
import { startServer } from "../helpers/http-server.ts";
import { echo, expectNoLeak, url } from "../helpers/leaks.ts";

const inputs = someArgs({ url });
/**
 * Repeats the request, with the key and the secret, in a text that is too long and not well-formed.
 */
const echoing = errorBody(echo, `\ud800\r\n${echo} `.repeat(9));

it.each(adapters)("$name shows none of the secrets in arguments and responses", async (adapter) => {
  // Webhook 17 is one that this command has created.
  const id = "18";
  await using server = await startServer(
    // With a secret that cannot be stored.
    { body: { id: 17, secret: [secret], echo } },
    // The response to every later request.
    { statusCode: 403, body: echoing },
  );
  const settings = { baseUrl: server.url, apiKey, retrySeconds: "0", listing: "true" };
  const state = { ...inputs, secret, baseUrl: server.url };
  const environment = { DBWEBHOOKS_IMPORT: `{"${secret}":"17","17":{"secret":"${secret} "}}` };
  await using running = await startAdapter(adapter, settings, environment);

  const { failures } = await running.check({
    databaseId: { url },
    url: `${url} `,
    events: [url, secret],
    tableId: [secret],
  });
  const first = await running.create(inputs);
  const second = await running.create({ ...inputs, tableId: "tbl_other" }, "other");
  await running.diff(id, state, someArgs({ url: `${url}x` }));
  await running.delete(id, state);
  await running.read(id, state);
  // The dynamic provider has no import: Pulumi's process fails, because the read has no state.
  // Older versions of Pulumi send no properties for an import, and newer ones an empty struct.
  for (const props of [undefined, {}]) {
    await running.calls.read("17", props).catch(() => undefined);
  }
  await running[Symbol.asyncDispose]();

  // One for each value: of databaseId, url and tableId, and 2 of events.
  expect(failures).toHaveLength(5);
  expect(first).toEqual({ error: expect.stringMatching(/\[inDoubt\]$/) });
  expect(second).toEqual({ error: expect.stringMatching(/\[notCreated\]$/) });
  // Two creations, the deletion and both imports have failed.
  expect(running.errors).toHaveLength(5);
  const lines = running.lines();
  const ofDatabase = lines.filter((line) => line.includes("base_abc123"));
  expect(ofDatabase.length).toBeGreaterThanOrEqual(2);
  expectNoLeak([...failures, ...running.errors.flatMap(textsOf), ...lines]);
});

function textsOf({ metadata, message, details, stack = "" }: ServiceError): string[] {
  return [message, details, stack, JSON.stringify(metadata)];
}
