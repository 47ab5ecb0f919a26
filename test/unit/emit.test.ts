import { Agent, type Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { deliveryLine, emit } from "../../src/cli/emit.ts";
import { errorOf } from "../helpers/error-of.ts";
import { refusedUrl, startServer } from "../helpers/http-server.ts";
import { startService, subscribe } from "../helpers/local-service.js";
import { startReceiver } from "../helpers/receiver.js";

const words = { database: "base_1", wait: "10" };

/** What `emit` writes to standard output, and the exit code. */
async function emitted(type: string, more: object) {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const before = process.exitCode;
  try {
    await emit(type, { ...words, ...more });
    return [process.exitCode, write.mock.calls.join("")];
  } finally {
    write.mockRestore();
    process.exitCode = before;
  }
}

describe("emit", () => {
  it("shows the deliveries, and fails when one is not over in the time to wait", async () => {
    await using receiver = await startReceiver(({ path }) => (path === "/never" ? 500 : 204));
    const service = await startService();
    const url = `${service.baseUrl}/`;
    await subscribe(service, receiver.url);
    await subscribe(service, `${receiver.url}/never`, { events: ["record.deleted"] });
    const event = { table: "tbl_1", data: '{"recordIds":["rec_1"]}', id: "evt_7" };
    const pending = expect.stringMatching(/^evt_\w+\nwebhook 2: pending/);
    const nobody = /^evt_\w+\nNo active webhook of this database selects it\.\n$/;

    expect(await emitted("record.created", { url, ...event })).toEqual([
      0,
      "evt_7\nwebhook 1: delivered, attempt 1: 204\n",
    ]);
    expect(receiver.notifications[0]?.body.data).toEqual({
      tableId: "tbl_1",
      recordIds: ["rec_1"],
    });
    expect(await emitted("record.deleted", { url, wait: "0.1" })).toEqual([1, pending]);
    expect(await emitted("record.deleted", { url, wait: "0" })).toEqual([0, pending]);
    expect(await emitted("table.created", { url })).toEqual([0, expect.stringMatching(nobody)]);
  });

  it("shows an answer without the key, terminal escapes and line breaks", async () => {
    const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
    const delivery = { webhookId: 1, attempts: 1, statusCode: 204 };
    await using service = await startServer({
      body: {
        id: `evt_1\u001b]0;title\u0007${apiKey.toLowerCase()}`,
        deliveries: [{ ...delivery, outcome: `delivered\n\u202e${apiKey}` }],
      },
    });

    expect(await emitted("record.created", { url: service.url, apiKey })).toEqual([
      1,
      "evt_1 ]0;title [redacted]\nwebhook 1: delivered [redacted], attempt 1: 204\n",
    ]);
  });

  it("says what is wrong, without the key", async () => {
    const { baseUrl } = await startService({ apiKeys: { sk_some_key: ["base_1"] } });
    const none = await refusedUrl();
    const messageOf = async (more: object) =>
      (await errorOf(emit("record.created", { ...words, url: baseUrl, ...more }))).message;

    expect(await messageOf({ apiKey: "sk_wrong_key" })).toBe(
      "The service does not know this API key. Set --api-key, or DBWEBHOOKS_API_KEY.",
    );
    expect(await messageOf({ apiKey: "sk_some_key", database: "base_2" })).toBe(
      "This API key may not use this database. Check --database and --api-key.",
    );
    expect(await messageOf({ apiKey: "sk_some_key", data: "7" })).toBe(
      "The service answered 400. Invalid event: data must be a JSON object.",
    );
    expect(await messageOf({ url: `${baseUrl}/elsewhere` })).toBe(
      `${baseUrl} answered 404: it is no local service. Check --url.`,
    );
    expect(await messageOf({ url: none })).toContain(`No answer from ${none} (ECONNREFUSED). Is`);
  });

  it.each(["", "null", '{"id":"evt_1","deliveries":[null]}'])(
    "says that what answers 200 with %j is no local service",
    async (body) => {
      await using service = await startServer({ body });

      const { message } = await errorOf(emit("record.created", { ...words, url: service.url }));

      expect(message).toBe(`${service.url} answered 200: it is no local service. Check --url.`);
    },
  );

  it("takes address and key from the environment, and an empty variable for an absent one", async () => {
    await using service = await startServer();
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const [url, key] of [
      [`${service.url}/a/`, "sk_some_key"],
      [service.url, ""],
    ] as const) {
      vi.stubEnv("DBWEBHOOKS_BASE_URL", url);
      vi.stubEnv("DBWEBHOOKS_API_KEY", key);
      await errorOf(emit("record.created", words));
    }

    const path = "/_local/bases/base_1/events?wait=10";
    expect(service.requests).toMatchObject([
      { path: `/a${path}`, headers: { authorization: "Bearer sk_some_key" } },
      { path, headers: { authorization: "Bearer local-api-key" } },
    ]);
  });

  it("waits as long as --wait says, not as long as its HTTP client does by itself", async () => {
    await using service = await startServer({ body: '{"id":"evt_1","deliveries":[]}' });
    const requests: Dispatcher.DispatchOptions[] = [];
    const before = getGlobalDispatcher();
    const recording = new Agent().compose((dispatch) => (options, handler) => {
      requests.push(options);
      return dispatch(options, handler);
    });
    setGlobalDispatcher(recording);
    onTestFinished(() => setGlobalDispatcher(before));

    await emitted("record.created", { wait: "600", url: service.url });

    expect(requests).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }]);
  });

  it.each([
    [{ outcome: "pending", attempts: 1 }, "pending, attempt 1 under way"],
    [{ outcome: "pending", attempts: 0 }, "pending"],
    [
      { outcome: "pending", attempts: 2, statusCode: 503 },
      "pending, attempts: 2, last answer: 503",
    ],
    [{ outcome: "failed", attempts: 3, problem: "no answer" }, "failed, attempt 3: no answer"],
  ])("shows %j as %s", (delivery, line) => {
    expect(deliveryLine({ webhookId: 1, ...delivery })).toBe(`webhook 1: ${line}`);
  });
});
