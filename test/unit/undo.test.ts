import { afterEach, describe, expect, it, vi } from "vitest";
import { createForState } from "../../src/core/create.ts";
import { Engine } from "../../src/core/engine.ts";
import { Ledger } from "../../src/core/ledger.ts";
import { read } from "../../src/dynamic/provider.ts";
import { PartialCreationError } from "../../src/service/errors.ts";
import type { HttpRequest } from "../../src/service/http.ts";
import type { HttpResult } from "../../src/service/transport.ts";
import {
  errorBody,
  secret,
  secretEnvelope,
  someOperation,
  someSettings,
  someState,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { refusedUrl, startServer } from "../helpers/http-server.ts";
import { captureLines, configure } from "../helpers/provider.ts";
import { response } from "../helpers/transport.ts";

afterEach(() => void vi.restoreAllMocks());

const webhook = {
  databaseId: "base_abc123",
  url: "https://example.com/hooks",
  events: ["record.created"],
};

/** Creates a webhook that comes without a secret, and deletes it with this result. */
function createWithoutSecret(deletion: () => HttpResult, engineAddress?: string) {
  const lines: string[] = [];
  const sendRequest = async (_operation: unknown, { method }: HttpRequest) =>
    method === "POST" ? response(201, undefined, { id: 9 }) : deletion();
  const engine = new Engine(engineAddress, () => {});
  const transport = { stopping: engine.stopping, sendRequest };
  const account = { settings: someSettings(), transport };
  const operation = someOperation("Create webhook", { lines });
  const context = { account, ledger: new Ledger(), engine, operation };
  return { lines, error: errorOf(createForState(context, webhook, { ...webhook })) };
}

describe("undoing a creation without a secret", () => {
  it("has Pulumi store the webhook even when the deletion throws", async () => {
    const { error } = createWithoutSecret(() => {
      throw new TypeError("not a result");
    });

    expect(await error).toBeInstanceOf(PartialCreationError);
    expect(await error).toMatchObject({ id: "9" });
  });

  it("names the webhook to delete by hand when the engine is gone and the deletion fails", async () => {
    const exit = vi.spyOn(process, "exit").mockReturnValue(undefined as never);
    const address = new URL(await refusedUrl()).host;

    const { error, lines } = createWithoutSecret(() => response(403), address);

    expect(await error).not.toBeInstanceOf(PartialCreationError);
    expect((await error).message).toMatch(/created webhook 9 .+ delete it by hand/);
    expect(lines).toEqual([(await error).message]);
    expect(exit).toHaveBeenCalledOnce();
  });
});

describe("a secret that Pulumi hands over in its envelope", () => {
  it("is kept out of what a refresh prints", async () => {
    const body = errorBody("BAD_REQUEST", `Unexpected: ${secret}`);
    await using server = await startServer({ statusCode: 400, body });
    await configure({ baseUrl: server.url, listing: "true" });

    const { lines } = await captureLines(() =>
      read("17", someState({ baseUrl: server.url, secret: secretEnvelope })),
    );

    expect(lines.join()).toContain("[redacted]");
    expect(lines.join()).not.toContain(secret);
  });
});
