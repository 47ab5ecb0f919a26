import { expect, it } from "vitest";
import { serve } from "../helpers/cli.ts";
import { clientOf } from "../helpers/local-service.ts";
import { startReceiver } from "../helpers/receiver.ts";

const recordCreated = {
  method: "POST",
  path: "/_local/bases/base_1/events",
  body: { type: "record.created" },
} as const;

it("serve says how to configure a stack, and when it has stopped", async () => {
  const service = await serve();
  const startText = service.output();

  const exitCode = await service.end("SIGTERM");

  expect(exitCode).toBe(0);
  expect(startText).toContain(`pulumi config set dbwebhooks:baseUrl ${service.baseUrl}\n`);
  expect(startText).toContain("pulumi config set --secret dbwebhooks:apiKey local-api-key\n");
  expect(service.output()).toMatch(/^Stopped\.$/m);
});

it("serve stops at once while a delivery is in flight", async () => {
  await using receiver = await startReceiver(() => new Promise(() => {}));
  const service = await serve();
  const client = clientOf(service);
  await client.subscribe(receiver.url);
  const emission = client.send(recordCreated).catch(({ code }) => code);
  await expect.poll(() => receiver.notifications).toHaveLength(1);

  const exitCode = await service.end("SIGINT");

  expect(exitCode).toBe(0);
  expect(service.output()).toMatch(/^Stopped\.$/m);
  expect(await emission).toBe("UND_ERR_SOCKET");
});

it("serve never prints a key that the user chose, even when a request contains it", async () => {
  const service = await serve("--api-key", "sk_live_12");
  await clientOf({ ...service, apiKey: "sk_live_12" }).create({ databaseId: "sk_live_12" });

  await service.end("SIGTERM");

  expect(service.output()).toMatch(/API keys: 1\..* 201 \{"id":\d+\}$/ms);
  expect(service.output()).not.toContain("sk_live_12");
});
