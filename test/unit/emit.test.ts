import { Agent, type Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { expect, it, onTestFinished, vi } from "vitest";
import { deliveryLine, emit } from "../../src/cli/emit.ts";
import { errorOf } from "../helpers/error-of.ts";
import { startServer } from "../helpers/http-server.ts";

const words = { database: "base_1", wait: "10" };

/** What `emit` writes to standard output. */
async function outputOf(emitting: () => Promise<void>): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const before = process.exitCode;
  onTestFinished(() => {
    write.mockRestore();
    process.exitCode = before;
  });
  await emitting();
  return write.mock.calls.join("");
}

it("shows an answer without the key, terminal escapes and line breaks", async () => {
  const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
  const delivery = { webhookId: 1, attempts: 1, statusCode: 204 };
  await using service = await startServer({
    body: {
      id: `evt_1\u001b]0;title\u0007${apiKey.toLowerCase()}`,
      deliveries: [{ ...delivery, outcome: `delivered\n\u202e${apiKey}` }],
    },
  });

  const output = await outputOf(() =>
    emit("record.created", { ...words, url: service.url, apiKey }),
  );

  expect(output).toBe(
    "evt_1 ]0;title [redacted]\nwebhook 1: delivered [redacted], attempt 1: 204\n",
  );
});

it.each(["", "{}", "null", '{"id":"evt_1","deliveries":[null]}'])(
  "says that what answers 200 with %j is no local service",
  async (body) => {
    await using service = await startServer({ body });

    const { message } = await errorOf(emit("record.created", { ...words, url: service.url }));

    expect(message).toBe(`${service.url} answered 200: it is no local service. Check --url.`);
  },
);

it("takes an empty variable for an absent one", async () => {
  await using service = await startServer();
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("DBWEBHOOKS_API_KEY", "");
  vi.stubEnv("DBWEBHOOKS_BASE_URL", service.url);
  await errorOf(emit("record.created", words));
  vi.stubEnv("DBWEBHOOKS_BASE_URL", "");
  await errorOf(emit("record.created", { ...words, url: service.url }));

  const keys = service.requests.map(({ headers }) => headers.authorization);

  expect(keys).toEqual(Array(2).fill("Bearer local-api-key"));
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

  await outputOf(() => emit("record.created", { ...words, wait: "600", url: service.url }));

  expect(requests).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }]);
});

it.each([
  [{ outcome: "pending", attempts: 1 }, "pending, attempt 1 under way"],
  [{ outcome: "pending", attempts: 0 }, "pending"],
  [{ outcome: "pending", attempts: 2, statusCode: 503 }, "pending, attempts: 2, last answer: 503"],
  [{ outcome: "failed", attempts: 3, problem: "no answer" }, "failed, attempt 3: no answer"],
  [{ outcome: "delivered", attempts: 1, statusCode: 204 }, "delivered, attempt 1: 204"],
])("shows %j as %s", (delivery, line) => {
  expect(deliveryLine({ webhookId: 1, ...delivery })).toBe(`webhook 1: ${line}`);
});
