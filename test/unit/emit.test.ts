import { describe, expect, it, onTestFinished, vi } from "vitest";
import { emit } from "../../src/cli/emit.ts";
import { errorOf } from "../helpers/error-of.ts";
import { refusedUrl, startServer, startTlsServer } from "../helpers/http-server.ts";
import { startService } from "../helpers/local-service.js";
import { startReceiver } from "../helpers/receiver.js";

const noDeliveries = { body: { id: "evt_1", deliveries: [] } };

/** Runs `emit`, and returns its exit code and standard output. */
async function emitted(options: object, type = "record.created") {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const before = process.exitCode;
  try {
    await emit(type, { database: "base_1", wait: "10", ...options });
    return { exitCode: process.exitCode, stdout: write.mock.calls.join("") };
  } finally {
    write.mockRestore();
    process.exitCode = before;
  }
}

function setEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(environment)) {
    vi.stubEnv(name, value);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
}

describe("emit", () => {
  it("shows the deliveries, and fails when one is not over in the time to wait", async () => {
    await using receiver = await startReceiver(({ path }) => (path === "/never" ? 500 : 204));
    const service = await startService();
    const url = `${service.baseUrl}/`;
    await service.subscribe(receiver.url);
    await service.subscribe(`${receiver.url}/never`, { events: ["record.deleted"] });
    const event = { table: "tbl_1", data: '{"recordIds":["rec_1"]}', id: "evt_7" };

    const delivered = await emitted({ url, ...event });
    const late = await emitted({ url, wait: "0.1" }, "record.deleted");
    const notAwaited = await emitted({ url, wait: "0" }, "record.deleted");
    const unselected = await emitted({ url }, "table.created");

    const pending = expect.stringMatching(/^evt_\w+\nwebhook 2: pending/);
    expect(delivered).toEqual({
      exitCode: 0,
      stdout: "evt_7\nwebhook 1: delivered, attempt 1: 204\n",
    });
    expect(late).toEqual({ exitCode: 1, stdout: pending });
    expect(notAwaited).toEqual({ exitCode: 0, stdout: pending });
    expect(unselected).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^evt_\w+\nNo active webhook of this database selects it/),
    });
    const data = { tableId: "tbl_1", recordIds: ["rec_1"] };
    expect(receiver.notifications[0]).toMatchObject({ body: { data } });
  });

  it("shows a response without control characters and bidirectional marks", async () => {
    const delivery = { webhookId: 1, attempts: 1, statusCode: 204 };
    await using service = await startServer({
      body: {
        id: "evt_1\u001b]0;title\u0007",
        deliveries: [{ ...delivery, outcome: "delivered\n\u202eno" }],
      },
    });

    const { stdout } = await emitted({ url: service.url });

    expect(stdout).toMatch(/^evt_1[^\p{Cc}\p{Cf}]*\nwebhook 1: delivered[^\p{Cc}\p{Cf}]*\n$/u);
  });

  it.each([
    ["its own option", "sk_first", { apiKey: "sk_option" }, "sk_option"],
    ["the first key of serve", " sk_first=base_1 sk_2", {}, "sk_first"],
    ["the default key of serve", "", {}, "local-api-key"],
  ])("sends %s, and never the provider's key", async (_, serveApiKeys, options, expected) => {
    setEnvironment({
      DBWEBHOOKS_SERVE_API_KEYS: serveApiKeys,
      DBWEBHOOKS_API_KEY: "sk_live_of_provider",
    });
    await using service = await startServer(noDeliveries);

    await emitted({ url: service.url, ...options });

    expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${expected}`);
  });

  it("takes the address from the environment, with its path", async () => {
    await using service = await startServer(noDeliveries);
    setEnvironment({ DBWEBHOOKS_BASE_URL: `${service.url}/a/` });

    await emitted({ wait: "600" });

    expect(service.requests[0]?.path).toBe("/a/_local/bases/base_1/events?wait=600");
  });

  it("verifies certificates, whatever the environment says", async () => {
    setEnvironment({ NODE_TLS_REJECT_UNAUTHORIZED: "0" });
    vi.spyOn(process, "emitWarning").mockReturnValue();
    await using service = await startTlsServer({ isTrusted: false }, noDeliveries);

    const { message } = await errorOf(emitted({ url: service.url }));

    expect(message).toContain("SELF_SIGNED_CERT");
    expect(service.requests).toEqual([]);
  });

  it("stops reading a body of more than 1 MiB", async () => {
    const deliveries = [{ webhookId: 1, outcome: "x".repeat(2 ** 20), attempts: 0 }];
    await using service = await startServer({ body: { id: "evt_1", deliveries } });

    const { message } = await errorOf(emitted({ url: service.url }));

    expect(message).toContain("UND_ERR_RES_EXCEEDED_MAX_SIZE");
  });

  it("says which option is wrong when the service refuses the event, without the key", async () => {
    const { baseUrl: url } = await startService({ apiKeys: { sk_some_key: ["base_1"] } });
    const apiKey = "sk_some_key";

    const errors = await Promise.all([
      errorOf(emitted({ url, apiKey: "sk_wrong_key" })),
      errorOf(emitted({ url, apiKey, database: "base_2" })),
      errorOf(emitted({ url, apiKey, data: "7" })),
    ]);

    expect(errors.map(({ message }) => /with (\d+).*--api-key/.exec(message)?.[1])).toEqual([
      "401",
      "404",
      "400",
    ]);
    expect(errors.map(String).join()).not.toContain("sk_");
  });

  it("tells a server that is no local service from one that does not respond", async () => {
    await using other = await startServer({ body: '{"id":"evt_1","deliveries":[null]}' });
    const nowhere = await refusedUrl();

    const stranger = await errorOf(emitted({ url: other.url }));
    const silence = await errorOf(emitted({ url: nowhere }));

    expect(stranger.message).toContain(`${other.url} responded with 200: This is no local service`);
    expect(silence.message).toContain(`No response from ${nowhere} (ECONNREFUSED)`);
  });
});
