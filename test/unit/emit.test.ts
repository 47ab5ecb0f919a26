import { afterEach, expect, it, vi } from "vitest";
import { runCommand } from "../../src/cli/commands.ts";
import { type EmitOptions, emit } from "../../src/cli/emit.ts";
import { errorOf } from "../helpers/errors.ts";
import { refusedUrl, startServer, startTlsServer } from "../helpers/http-server.ts";
import { startService } from "../helpers/local-service.ts";
import { startReceiver } from "../helpers/receiver.ts";

const noDeliveries = { body: { id: "evt_1", deliveries: [] } };

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Emits an event; returns the exit code and the standard output. */
async function runEmit(options: Partial<EmitOptions>) {
  const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await emit("record.created", { database: "base_1", ...options });
  return { exitCode: process.exitCode, stdout: stdout.mock.calls.join("") };
}

it("emit shows the deliveries of an event and exits with 0", async () => {
  await using receiver = await startReceiver();
  const service = await startService();
  await service.subscribe(receiver.url);
  const event = { table: "tbl_1", data: '{"recordIds":["rec_1"]}', id: "evt_7" };

  const result = await runEmit({ url: `${service.baseUrl}/`, ...event });

  const data = { tableId: "tbl_1", recordIds: ["rec_1"] };
  const stdout = `evt_7\nwebhook ${service.webhooks[0]?.id}: delivered\n`;
  expect(result).toEqual({ exitCode: 0, stdout });
  expect(receiver.notifications).toMatchObject([{ body: { data } }]);
});

const delivered = { webhookId: 1, delivered: true, statusCode: 204 };
const refused = { webhookId: 2, delivered: false, statusCode: 503 };
const unreachable = { webhookId: 3, delivered: false, problem: "no response (ECONNREFUSED)" };

it.each([
  { deliveries: [delivered], exitCode: 0, shows: "webhook 1: delivered" },
  { deliveries: [delivered, refused], exitCode: 1, shows: "webhook 2: 503" },
  { deliveries: [unreachable], exitCode: 1, shows: "webhook 3: no response (ECONNREFUSED)" },
  { deliveries: [], exitCode: 0, shows: "No active webhook of this database" },
])("emit exits with $exitCode and shows '$shows'", async ({ deliveries, exitCode, shows }) => {
  await using service = await startServer({ body: { id: "evt_1", deliveries } });

  const result = await runEmit({ url: service.url });

  expect(result).toEqual({ exitCode, stdout: expect.stringContaining(shows) });
});

it("emit says that no response came within a minute", async () => {
  await using service = await startServer(noDeliveries);
  const timedOut = AbortSignal.abort(new DOMException("too late", "TimeoutError"));
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(timedOut);

  const { message } = await errorOf(runEmit({ url: service.url }));

  expect(timeout).toHaveBeenCalledWith(60_000);
  expect(message).toContain(`No response from ${service.url} (TimeoutError).`);
});

it("emit takes the base URL and the first key of serve from the environment, not the provider's key", async () => {
  await using service = await startServer(noDeliveries);
  vi.stubEnv("DBWEBHOOKS_BASE_URL", `${service.url}/a/`);
  vi.stubEnv("DBWEBHOOKS_SERVE_API_KEYS", " sk_1=base_1 sk_2");
  vi.stubEnv("DBWEBHOOKS_API_KEY", "sk_live");

  await runEmit({});

  const path = "/a/_local/bases/base_1/events";
  expect(service.requests).toMatchObject([{ path, headers: { authorization: "Bearer sk_1" } }]);
});

it("emit sends the options of its command line, not of the environment", async () => {
  vi.stubEnv("DBWEBHOOKS_BASE_URL", refusedUrl);
  vi.stubEnv("DBWEBHOOKS_SERVE_API_KEYS", "sk_1");
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await using service = await startServer(noDeliveries);
  const options = ["--database", "a/b", "--url", service.url, "--api-key", "sk_2"];

  await runCommand(["emit", "record.created", ...options]);

  const path = "/_local/bases/a%2Fb/events";
  const body = '{"type":"record.created"}';
  const headers = { authorization: "Bearer sk_2" };
  expect(service.requests).toMatchObject([{ path, body, headers }]);
});

it("emit verifies certificates even when NODE_TLS_REJECT_UNAUTHORIZED is 0", async () => {
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
  vi.spyOn(process, "emitWarning").mockReturnValue();
  await using service = await startTlsServer({ isTrusted: false }, noDeliveries);

  await expect(runEmit({ url: service.url })).rejects.toThrow("SELF_SIGNED_CERT");
  expect(service.requests).toEqual([]);
});

it("emit withholds an error message of the service that repeats the key", async () => {
  const message = "The key sk_wrong_key is unknown.";
  await using service = await startServer({ statusCode: 401, body: { error: { message } } });

  const error = await errorOf(runEmit({ url: service.url, "api-key": ["sk_wrong_key"] }));

  expect(error.message).toMatch(/ responded with 401: \[withheld.* Check --api-key\.$/);
  expect(error.message).not.toContain("sk_wrong_key");
});

it("emit shows why the service refuses an event, and does not advise to check the connection", async () => {
  const service = await startService();
  const run = runCommand(["emit", "record.creatd", "--database", "b", "--url", service.baseUrl]);

  const { message } = await errorOf(run);

  const problem = "Invalid event: type is unknown (did you mean record.created?).";
  expect(message).toBe(`${service.baseUrl} responded with 400: ${problem}`);
});

it("emit reads at most 1 MiB of a response", async () => {
  await using service = await startServer({ body: "x".repeat(1024 * 1024 + 1) });

  await expect(runEmit({ url: service.url })).rejects.toThrow("larger than 1 MiB");
});

it("emit distinguishes a server that is not a local service from one that does not respond", async () => {
  await using other = await startServer({ body: '{"id":"evt_1","deliveries":[null]}' });

  const unexpected = await errorOf(runEmit({ url: other.url }));
  const refused = await errorOf(runEmit({ url: refusedUrl }));

  expect(unexpected.message).toContain("responded with 200: This is not a local service.");
  expect(refused.message).toMatch(/^No response from http.* \(ECONNREFUSED\)/);
});
