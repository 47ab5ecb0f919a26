import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import {
  type Properties,
  type ProviderProcess,
  partialCreationOf,
  webhookInputs,
  withProviderProcess,
} from "../helpers/provider-process.js";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const secretEnvelope = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

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

/** What the engine hands to diff, read and delete: outputs with their secrets in plain text. */
function stateOf(outs: Properties): Properties {
  const { value } = outs.secret as { value: string };
  return { ...outs, secret: value };
}

describe("check in Pulumi's provider process", () => {
  it("normalises events and keeps what is not known yet", async () => {
    await withService(async (_service, provider) => {
      const checked = await provider.check(
        webhookInputs({
          events: ["record.updated", "record.created", "record.updated"],
          url: unknown,
        }),
      );

      expect(checked).toEqual({
        inputs: webhookInputs({ events: ["record.created", "record.updated"], url: unknown }),
        failures: [],
      });
    });
  });

  it("reports all problems of arguments and configuration at once", async () => {
    await withProviderProcess({ "dbwebhooks:timeoutSeconds": "soon" }, async (provider) => {
      const { failures } = await provider.check(webhookInputs({ databaseId: 5, url: "/hooks" }));

      expect(failures.map((failure) => failure.split(": ")[0])).toEqual([
        "dbwebhooks:baseUrl",
        "dbwebhooks:apiKey",
        "dbwebhooks:timeoutSeconds",
        "databaseId",
        "url",
      ]);
    });
  });
});

describe("diff in Pulumi's provider process", () => {
  it("says explicitly that nothing changes", async () => {
    await withService(async (_service, provider) => {
      const { id, outs } = await provider.create(webhookInputs());

      const { changes } = await provider.diff(id, stateOf(outs), webhookInputs());

      expect(changes).toBe(1);
    });
  });

  it("names what replaces, in its answer and in one line of output", async () => {
    await withService(async (_service, provider) => {
      const { id, outs } = await provider.create(webhookInputs());

      const { changes, replacesList } = await provider.diff(
        id,
        stateOf(outs),
        webhookInputs({ url: "https://example.com/other-path-token", tableId: unknown }),
      );

      expect({ changes, replacesList }).toEqual({ changes: 2, replacesList: ["url", "tableId"] });
      await expect.poll(provider.output).toContain("url changes, tableId is not known yet");
      expect(provider.output()).not.toContain("other-path-token");
    });
  });
});

describe("create in Pulumi's provider process", () => {
  it("opens no more connections than requests may be in flight", async () => {
    await using service = await startLocalService();
    const config = {
      "dbwebhooks:baseUrl": service.baseUrl,
      "dbwebhooks:apiKey": service.apiKey,
      "dbwebhooks:maxConcurrentRequests": "4",
    };
    await withProviderProcess(config, (provider) =>
      Promise.all(Array.from({ length: 60 }, () => provider.create(webhookInputs()))),
    );

    const connections = new Set(service.requests.map(({ connection }) => connection));
    expect(service.webhooks).toHaveLength(60);
    expect(connections.size).toBeLessThanOrEqual(4);
  });

  it("returns the id as a string and the secret as a secret", async () => {
    await withService(async (service, provider) => {
      const { id, outs } = await provider.create(webhookInputs());

      const [webhook] = service.webhooks;
      expect(id).toBe(String(webhook?.id));
      expect(outs).toEqual({
        ...webhookInputs(),
        baseUrl: service.baseUrl,
        secret: { ...secretEnvelope, value: webhook?.secret },
      });
    });
  });

  it("deletes again what came without a secret", async () => {
    await withService(async (service, provider) => {
      service.inject({ on: "POST", fault: { kind: "fields", remove: ["secret"] } });

      const creation = provider.create(webhookInputs());

      await expect(creation).rejects.toThrow("It was deleted again");
      expect(service.webhooks).toEqual([]);
    });
  });

  it("reports a partial creation when what came without a secret cannot be deleted", async () => {
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
      expect(partial?.getReasonsList()).toEqual([expect.stringContaining("answered 403")]);
    });
  });

  it("fails with a message alone when the service refuses", async () => {
    await withService(async (service, provider) => {
      service.inject({ on: "POST", fault: { kind: "respond", statusCode: 401 } });

      const error = await provider.create(webhookInputs()).catch((cause: unknown) => cause);

      expect(error).toMatchObject({ details: expect.stringContaining("answered 401") });
      expect(partialCreationOf(error)).toBeUndefined();
    });
  });
});

describe("read and update in Pulumi's provider process", () => {
  it("keep the state, the secret as a secret, and send nothing", async () => {
    await withService(async (service, provider) => {
      const { id, outs } = await provider.create(webhookInputs());
      service.clearRequests();

      const read = await provider.read(id, stateOf(outs));
      const updated = await provider.update(
        id,
        stateOf(outs),
        webhookInputs({ allowInsecureUrl: true }),
      );

      expect(read).toEqual({ id, props: outs });
      expect(updated).toEqual({ ...outs, allowInsecureUrl: true });
      expect(service.requests).toEqual([]);
    });
  });
});

describe("delete in Pulumi's provider process", () => {
  it("deletes the webhook", async () => {
    await withService(async (service, provider) => {
      const { id, outs } = await provider.create(webhookInputs());

      await provider.delete(id, stateOf(outs));

      expect(service.webhooks).toEqual([]);
    });
  });

  it("accepts that the webhook is gone and says so", async () => {
    await withService(async (service, provider) => {
      const { id, outs } = await provider.create(webhookInputs());
      service.removeWebhook(Number(id));

      await provider.delete(id, stateOf(outs));

      await expect
        .poll(provider.output)
        .toContain(`The service did not have webhook ${id} of database base_abc123 any more`);
    });
  });

  it("fails in one line without a stack", async () => {
    await withService(async (service, provider) => {
      const { id, outs } = await provider.create(webhookInputs());
      service.inject({ on: "DELETE", fault: { kind: "respond", statusCode: 403 } });

      const deletion = provider.delete(id, stateOf(outs));

      await expect(deletion).rejects.toThrow("answered 403");
      await expect.poll(provider.output).toContain("The webhook stays in the state.");
      expect(provider.output()).not.toMatch(/\n\s+at /);
    });
  });
});
