import { connect } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { startService } from "../helpers/local-service.js";

vi.mock("../../src/local-service/http/request-limits.js", () => ({
  requestLimits: { headersTimeout: 20, requestTimeout: 40, connectionsCheckingInterval: 5 },
}));

const head =
  "POST /api/v1/bases/base_1/webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999\r\nAuthorization: Bearer local-api-key\r\n";

it.each([
  ["head", `${head}X-Slow: `],
  ["body", `${head}\r\n`],
])("a client that sends its %s a byte at a time is sent away", async (_part, start) => {
  const { port, webhooks } = await startService();
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.resume().write(start);
  const drip = setInterval(() => socket.write("a"), 10);
  onTestFinished(() => clearInterval(drip));

  // It may end with a reset.
  await new Promise<unknown>((resolve) => socket.once("close", resolve));

  expect(webhooks).toEqual([]);
});
