import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, type Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { expect, it, onTestFinished, vi } from "vitest";
import { emit, lineOf } from "../../src/cli/emit.ts";

it("waits as long as --wait says, not as long as its HTTP client does by itself", async () => {
  const server = createServer((_, response) => response.end('{"id":"evt_1","deliveries":[]}'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const requests: Dispatcher.DispatchOptions[] = [];
  const before = getGlobalDispatcher();
  setGlobalDispatcher(new RecordingAgent(requests));
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => {
    vi.restoreAllMocks();
    setGlobalDispatcher(before);
    server.close();
  });

  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  await emit("record.created", { database: "base_1", wait: "600", url });

  expect(requests).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }]);
});

it.each([
  [{ outcome: "pending", attempts: 1 }, "pending, attempt 1 under way"],
  [{ outcome: "pending", attempts: 0 }, "pending"],
  [{ outcome: "pending", attempts: 2, statusCode: 503 }, "pending, attempts: 2, last answer: 503"],
  [{ outcome: "failed", attempts: 3, problem: "no answer" }, "failed, attempt 3: no answer"],
  [{ outcome: "delivered", attempts: 1, statusCode: 204 }, "delivered, attempt 1: 204"],
])("shows %j as %s", (delivery, line) => {
  expect(lineOf({ webhookId: 1, ...delivery })).toBe(`webhook 1: ${line}`);
});

class RecordingAgent extends Agent {
  readonly #requests: Dispatcher.DispatchOptions[];

  constructor(requests: Dispatcher.DispatchOptions[]) {
    super();
    this.#requests = requests;
  }

  override dispatch(options: Agent.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#requests.push(options);
    return super.dispatch(options, handler);
  }
}
