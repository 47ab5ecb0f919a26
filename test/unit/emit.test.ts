import { Agent, type Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { emit } from "../../src/cli/emit.ts";
import { refusedUrl, startServer } from "../helpers/http-server.ts";
import { startService } from "../helpers/local-service.js";
import { startReceiver } from "../helpers/receiver.js";

/** Runs `emit`; the exit code, and what it writes to standard output. */
async function emitted(words: object, type = "record.created") {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const before = process.exitCode;
  try {
    await emit(type, { database: "base_1", wait: "10", ...words });
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
    await service.subscribe(receiver.url);
    await service.subscribe(`${receiver.url}/never`, { events: ["record.deleted"] });
    const event = { table: "tbl_1", data: '{"recordIds":["rec_1"]}', id: "evt_7" };
    const pending = expect.stringMatching(/^evt_\w+\nwebhook 2: pending/);
    const nobody = expect.stringMatching(/^evt_\w+\nNo active webhook of this database selects it/);

    const delivered = "evt_7\nwebhook 1: delivered, attempt 1: 204\n";
    expect(await emitted({ url, ...event })).toEqual([0, delivered]);
    expect(await emitted({ url, wait: "0.1" }, "record.deleted")).toEqual([1, pending]);
    expect(await emitted({ url, wait: "0" }, "record.deleted")).toEqual([0, pending]);
    expect(await emitted({ url }, "table.created")).toEqual([0, nobody]);
    const data = { tableId: "tbl_1", recordIds: ["rec_1"] };
    expect(receiver.notifications[0]).toMatchObject({ body: { data } });
  });

  it("withholds lines that hold the key or terminal escapes", async () => {
    const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
    const delivery = { webhookId: 1, attempts: 1, statusCode: 204 };
    await using service = await startServer({
      body: {
        id: `evt_1\u001b]0;title\u0007${apiKey.toLowerCase()}`,
        deliveries: [{ ...delivery, outcome: `delivered\n\u202e${apiKey}` }],
      },
    });

    expect(await emitted({ url: service.url, apiKey })).toEqual([
      1,
      expect.stringMatching(/^\[withheld: .*\]\n\[withheld: .*\]\n$/),
    ]);
  });

  it("says what is wrong, without the key", async () => {
    const { baseUrl: url } = await startService({ apiKeys: { sk_some_key: ["base_1"] } });
    const [none, apiKey] = [await refusedUrl(), "sk_some_key"];
    await using other = await startServer({ body: '{"id":"evt_1","deliveries":[null]}' });
    const problems: [object, string][] = [
      [{ url, apiKey: "sk_wrong" }, "The service does not know this API key. Set --api-key"],
      [{ url, apiKey, database: "base_2" }, "This API key may not use this database. Check"],
      [{ url, apiKey, data: "7" }, "answered 400. Invalid event: data must be a JSON object."],
      [{ url: `${url}/elsewhere` }, `${url} answered 404: it is no local service. Check --url.`],
      [{ url: other.url }, `${other.url} answered 200: it is no local service. Check --url.`],
      [{ url: none }, `No answer from ${none} (ECONNREFUSED). Is the local service running there?`],
    ];

    for (const [words, problem] of problems) {
      await expect(emitted(words)).rejects.toThrow(problem);
      await expect(emitted(words)).rejects.not.toThrow(/sk_/);
    }
  });

  it("takes address and key from the environment, and its limit of time from --wait alone", async () => {
    await using service = await startServer({ body: '{"id":"evt_1","deliveries":[]}' });
    const limits: Dispatcher.DispatchOptions[] = [];
    const before = getGlobalDispatcher();
    const recording = new Agent().compose((dispatch) => (options, handler) => {
      limits.push(options);
      return dispatch(options, handler);
    });
    setGlobalDispatcher(recording);
    onTestFinished(() => setGlobalDispatcher(before));
    onTestFinished(() => void vi.unstubAllEnvs());

    for (const [url, key] of [
      [`${service.url}/a/`, "sk_some_key"],
      [service.url, ""],
    ] as const) {
      vi.stubEnv("DBWEBHOOKS_BASE_URL", url);
      vi.stubEnv("DBWEBHOOKS_API_KEY", key);
      await emitted({ wait: "600" });
    }

    const path = "/_local/bases/base_1/events?wait=600";
    expect(service.requests).toMatchObject([
      { path: `/a${path}`, headers: { authorization: "Bearer sk_some_key" } },
      { path, headers: { authorization: "Bearer local-api-key" } },
    ]);
    expect(limits).toMatchObject(Array(2).fill({ headersTimeout: 0, bodyTimeout: 0 }));
  });
});
