import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
// Pinned in package.json: newer versions verify with the same library that signs here.
import { Webhook, WebhookVerificationError } from "svix";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { succeed } from "../helpers/commands.js";
import { repository } from "../helpers/directory.js";
import { type ReceivedNotification, type Receiver, startReceiver } from "../helpers/receiver.js";

describe("The local service, given third-party clients,", () => {
  let service: LocalService;
  let receiver: Receiver;
  let created: Awaited<ReturnType<typeof curl>>;
  const webhooks = () => `${service.baseUrl}/api/v1/bases/base_abc123/webhooks`;

  beforeAll(async () => {
    receiver = await startReceiver();
    service = await startLocalService({ apiKeys: ["local-api-key"] });
    created = await curl(webhooks(), "POST", {
      url: `${receiver.url}/hooks/orders`,
      events: ["record.created"],
    });
  });
  afterAll(async () => {
    await service.close();
    await receiver[Symbol.asyncDispose]();
  });

  it("creates a webhook for curl", () => {
    expect(created).toEqual({
      statusCode: 201,
      body: { id: 1, secret: expect.stringMatching(/^whsec_/) },
    });
  });

  it("signs a delivery so that another library verifies it", async () => {
    const data = { recordIds: ["rec_1", "Größe ✓"] };
    const event = { type: "record.created", databaseId: "base_abc123", data } as const;

    await service.emit(event).finished;

    expect(receiver.notifications).toHaveLength(1);
    const [{ rawBody, headers }] = receiver.notifications as [ReceivedNotification];
    const verify = (body: string, secret: string) =>
      new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(verify(rawBody, created.body.secret)).toMatchObject({ type: "record.created", data });
    expect(() => verify(`${rawBody} `, created.body.secret)).toThrow(WebhookVerificationError);
    expect(() => verify(rawBody, `whsec_${btoa("another")}`)).toThrow(WebhookVerificationError);
  });

  it("deletes the webhook for curl once", async () => {
    const first = await curl(`${webhooks()}/1`, "DELETE");
    const second = await curl(`${webhooks()}/1`, "DELETE");

    expect(first).toMatchObject({ statusCode: 200, body: { success: true } });
    expect(second).toMatchObject({ statusCode: 404, body: { error: { code: "NOT_FOUND" } } });
  });
});

/** Sends a request as a shell script would. */
async function curl(url: string, method: string, body?: object) {
  const data = ["--header", "Content-Type: application/json", "--data", JSON.stringify(body)];
  const args = [
    ...["--silent", "--show-error", "--noproxy", "*", "--write-out", "\n%{http_code}"],
    ...["--request", method, "--header", "Authorization: Bearer local-api-key"],
    ...(body === undefined ? [] : data),
    url,
  ];
  const { stdout } = await succeed("curl", args, { directory: repository });
  const [json = "", statusCode] = stdout.split("\n");
  return { statusCode: Number(statusCode), body: JSON.parse(json) };
}
