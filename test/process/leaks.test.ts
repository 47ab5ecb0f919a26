import type { ServiceError } from "@grpc/grpc-js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { describe, expect, it } from "vitest";
import { apiKey, errorBody, secret, someArgs } from "../helpers/builders.js";
import { startServer } from "../helpers/http-server.js";
import { echo, expectNoLeak, tokens, url } from "../helpers/leaks.js";
import { partialCreationOf } from "../helpers/shells/grpc-provider.js";
import { shells } from "../helpers/shells/shells.js";

const inputs = someArgs({ url });
const answered = (statusCode: number, code: string) => {
  const headers = { location: `https://example.net/${tokens.path}` };
  return { statusCode, headers, body: errorBody(code, `\ud800\r\n${echo} `.repeat(9)) };
};

describe.each(shells)("$name shows nothing sensitive", (shell) => {
  it("in what it logs, nor in the failures and errors that it answers with", async () => {
    // A creation that cannot be undone, one in doubt that is looked up, and refusals ever after.
    const partial = [{ body: { id: 17, echo } }, answered(400, "NOT_UNDONE")];
    const doubtful = [answered(500, "IN_DOUBT"), answered(301, "NO_LIST")];
    await using server = await startServer(...partial, ...doubtful, answered(403, echo));
    const config = {
      "dbwebhooks:baseUrl": server.url,
      "dbwebhooks:apiKey": apiKey,
      "dbwebhooks:retrySeconds": "0",
      "dbwebhooks:listing": "true",
    };
    const state = { ...inputs, secret, baseUrl: server.url };
    const id = shell.idOf({ databaseId: "base_abc123", id: 17 });
    const wrong = {
      databaseId: { url },
      url: `${url} `,
      events: [url, secret],
      tableId: [secret],
      adopt: { id: secret, secret: "", [secret.slice(0, 5)]: apiKey },
    };

    const running = await shell.start(config, { DBWEBHOOKS_IMPORT_SECRET: secret });
    await using provider = running.process;
    const { failures } = await running.check(wrong);
    const create = () => running.create(inputs);
    const ends = [await create(), await create(), await create()];
    await running.diff(id, state, someArgs({ url: `${url}x` }));
    await running.delete(id, state);
    await running.read(id, { ...state, databaseId: "base_other" });
    // For the dynamic provider it is a read like any other.
    await provider.import("base_third/17").catch(() => undefined);
    await provider[Symbol.asyncDispose]();

    const lines = running.lines();
    expectNoLeak([...failures, ...lines, ...provider.errors.flatMap(textsOf)]);
    expect(failures).toHaveLength(8);
    expect(ends).toEqual([
      {
        error: expect.anything(),
        partial: { id, reasons: [expect.stringMatching(/\[partial\]$/)] },
      },
      { error: expect.stringMatching(/\[inDoubt\]$/) },
      { error: expect.stringMatching(/\[notCreated\]$/) },
    ]);
    expect(provider.errors).toHaveLength(5);
    expect(lines.join("\n")).toMatch(/Replacing webhook 17.*could be looked up/s);
  });
});

/** All that arrives of an error, but for the state that Pulumi is to store. */
function textsOf(error: ServiceError): string[] {
  const { metadata, message, details, stack = "" } = error;
  const [bytes] = metadata.get("grpc-status-details-bin");
  const status = bytes instanceof Buffer ? Status.deserializeBinary(bytes).getMessage() : "";
  const rest = metadata.clone();
  rest.remove("grpc-status-details-bin");
  const reasons = partialCreationOf(error)?.getReasonsList() ?? [];
  return [message, details, stack, status, JSON.stringify(rest), ...reasons];
}
