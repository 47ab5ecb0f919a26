import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation/index.js";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { afterAll, beforeAll, expect, it } from "vitest";

const timeoutMs = 120_000;
const received: { path: string; signature: unknown; rawBody: string }[] = [];
// Stands for your receiver at example.com, because `deliverTo` below sends all notifications to it.
const receiver = createServer(async (request, response) => {
  const signature = request.headers["x-webhook-signature"];
  received.push({ path: request.url ?? "", signature, rawBody: await text(request) });
  response.writeHead(204).end();
});
let directory: string;
let service: LocalService;
let stack: Stack;

beforeAll(async () => {
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  service = await startLocalService({ deliverTo: `http://127.0.0.1:${port}` });

  directory = await mkdtemp(join(tmpdir(), "orders-test-"));
  await mkdir(join(directory, "state"));
  const main = join(__dirname, "index.ts");
  stack = await LocalWorkspace.createStack(
    { stackName: "test", workDir: directory },
    {
      projectSettings: { name: "orders", runtime: "nodejs", main },
      envVars: {
        PULUMI_BACKEND_URL: `file://${join(directory, "state")}`,
        PULUMI_CONFIG_PASSPHRASE: "only for this test",
        DBWEBHOOKS_BASE_URL: service.baseUrl,
        DBWEBHOOKS_API_KEY: service.apiKey,
      },
    },
  );
}, timeoutMs);

afterAll(async () => {
  await stack.destroy({ remove: true });
  expect(service.webhooks).toEqual([]);
  await service.close();
  receiver.close();
  await rm(directory, { recursive: true });
}, timeoutMs);

// The second and the third test use the stack that the first one has deployed.
it(
  "creates a webhook for the orders",
  async () => {
    await stack.up();

    expect(service.webhooks).toMatchObject([
      { tableId: "tbl_orders", url: "https://example.com/hooks/orders" },
    ]);
  },
  timeoutMs,
);

it(
  "exports the secret that signs the notifications",
  async () => {
    const { ordersSecret } = await stack.outputs();
    await service.emit({
      type: "record.created",
      databaseId: "base_abc123",
      tableId: "tbl_orders",
    });

    const [{ path, signature, rawBody } = { path: "", signature: "", rawBody: "" }] = received;
    expect(path).toBe("/hooks/orders");
    expect(signature).toBe(createHmac("sha256", ordersSecret?.value).update(rawBody).digest("hex"));
    expect(JSON.parse(rawBody)).toMatchObject({ type: "record.created" });
  },
  timeoutMs,
);

it(
  "changes nothing in a second update",
  async () => {
    const requests: string[] = [];
    service.use((request, next) => {
      requests.push(`${request.method} ${request.path}`);
      return next();
    });

    const { summary } = await stack.up();

    // The stack itself and the webhook are unchanged.
    expect(summary.resourceChanges).toEqual({ same: 2 });
    expect(requests).toEqual([]);
  },
  timeoutMs,
);
