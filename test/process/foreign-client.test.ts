import { execFile } from "node:child_process";
import { promisify } from "node:util";
// Pinned in package.json: newer versions verify with the same library that signs here.
import { Webhook, WebhookVerificationError } from "svix";
import { expect, it } from "vitest";
import { serve } from "../helpers/cli.js";
import { startReceiver } from "../helpers/receiver.js";

const run = promisify(execFile);

it("serves clients that know only the API, and signs deliveries so that another library can verify them", async () => {
  await using receiver = await startReceiver();
  const service = await serve();
  const webhooks = `${service.baseUrl}/api/v1/bases/base_abc123/webhooks`;

  const created = await curl(webhooks, "POST", {
    url: `${receiver.url}/hooks/orders`,
    events: ["record.created"],
    tableId: "tbl_orders",
  });
  const emitted = await curl(`${service.baseUrl}/_local/bases/base_abc123/events?wait=10`, "POST", {
    type: "record.created",
    tableId: "tbl_orders",
    data: { recordIds: ["rec_1", "Größe ✓"] },
  });
  const deleted = await curl(`${webhooks}/${created.body.id}`, "DELETE");
  const again = await curl(`${webhooks}/${created.body.id}`, "DELETE");

  expect(created).toMatchObject({
    statusCode: 201,
    body: { id: 1, secret: expect.stringMatching(/^whsec_/) },
  });
  expect(emitted).toMatchObject({ statusCode: 200, body: { deliveries: [{ webhookId: 1 }] } });
  expect(deleted).toMatchObject({ statusCode: 200, body: { success: true } });
  expect(again).toMatchObject({ statusCode: 404, body: { error: { code: "NOT_FOUND" } } });
  expect(receiver.notifications).toHaveLength(1);
  const [{ rawBody = "", headers = {} } = {}] = receiver.notifications;
  const verify = (body: string, secret = created.body.secret) =>
    new Webhook(secret).verify(body, headers as Record<string, string>);
  expect(verify(rawBody)).toMatchObject({
    id: emitted.body.id,
    type: "record.created",
    data: { tableId: "tbl_orders", recordIds: ["rec_1", "Größe ✓"] },
  });
  expect(() => verify(`${rawBody} `)).toThrow(WebhookVerificationError);
  expect(() => verify(rawBody, `whsec_${btoa("another")}`)).toThrow(WebhookVerificationError);
});

/** Sends a request as a shell script would. */
async function curl(url: string, method: string, body?: object) {
  const data = ["--header", "Content-Type: application/json", "--data", JSON.stringify(body)];
  const { stdout } = await run("curl", [
    ...["--silent", "--show-error", "--noproxy", "*", "--write-out", "\n%{http_code}"],
    ...["--request", method, "--header", "Authorization: Bearer local-api-key"],
    ...(body === undefined ? [] : data),
    url,
  ]);
  const end = stdout.lastIndexOf("\n");
  return { statusCode: Number(stdout.slice(end)), body: JSON.parse(stdout.slice(0, end)) };
}
