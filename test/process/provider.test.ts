import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { secretMark } from "../helpers/builders.js";
import { type ProviderProcess, partialCreationOf } from "../helpers/shells/grpc-provider.js";
import { webhookInputs, withProviderProcess } from "../helpers/shells/provider-process.js";

async function withService(
  use: (service: LocalService, provider: ProviderProcess) => Promise<void>,
): Promise<void> {
  await using service = await startLocalService();
  const config = {
    "dbwebhooks:baseUrl": service.baseUrl,
    "dbwebhooks:apiKey": service.apiKey,
    "dbwebhooks:retrySeconds": "0",
  };
  await withProviderProcess(config, (provider) => use(service, provider));
}

// What every shell does is in shells.test.ts and faults.test.ts.
describe("Pulumi's provider process", () => {
  it("gets the id as a string and the secret in Pulumi's envelope", async () => {
    await withService(async (service, provider) => {
      const { id, outs } = await provider.create(webhookInputs());

      const [webhook] = service.webhooks;
      expect(id).toBe(String(webhook?.id));
      expect(outs).toEqual({
        ...webhookInputs(),
        baseUrl: service.baseUrl,
        secret: { ...secretMark, value: webhook?.secret },
      });
    });
  });

  it("gets the inputs as the state of a partial creation, and why it is one", async () => {
    await withService(async (service, provider) => {
      service.inject({ on: "POST", fault: { kind: "fields", set: { secret: "" } } });
      service.inject({ on: "DELETE", fault: { kind: "respond", statusCode: 403 } });

      const error = await provider.create(webhookInputs()).catch((cause: unknown) => cause);

      const partial = partialCreationOf(error);
      expect(partial?.getId()).toBe(String(service.webhooks[0]?.id));
      expect(partial?.getProperties()?.toJavaScript()).toEqual({
        ...webhookInputs(),
        baseUrl: service.baseUrl,
      });
      expect(partial?.getReasonsList()).toEqual([expect.stringContaining("403")]);
    });
  });

  it("keeps the secret in its envelope at a refresh and at an update", async () => {
    await withService(async (service, provider) => {
      const { id, outs } = await provider.create(webhookInputs());
      // The engine hands over outputs with their secrets in plain text.
      const state = { ...outs, secret: service.webhooks[0]?.secret };
      service.clearRequests();

      const read = await provider.read(id, state);
      const updated = await provider.update(id, state, webhookInputs({ allowInsecureUrl: true }));

      expect(read).toEqual({ id, props: outs });
      expect(updated).toEqual(outs);
      expect(service.requests).toEqual([]);
    });
  });
});
