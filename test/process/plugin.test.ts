import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { type Fault, type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { secretMark, someArgs, unknownMarkers } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { kindOf } from "../helpers/kind-of.js";
import { type ProviderProcess, partialCreationOf } from "../helpers/shells/grpc-provider.js";
import { startPlugin } from "../helpers/shells/native-shell.js";
import { struct } from "../helpers/shells/provider-calls.mjs";
import { withBareSecret } from "../helpers/shells/shell.js";

// What every shell does is in shells.test.ts, faults.test.ts, engine.test.ts and leaks.test.ts.

const type = "dbwebhooks:index:Webhook";
const urn = `urn:pulumi:test::webhooks::${type}::orders`;
const inputs = someArgs();
const { INFO, WARNING } = LogSeverity;

async function withPlugin(
  use: (plugin: ProviderProcess, service: LocalService) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
  environment: (service: LocalService) => Readonly<Record<string, string>> = () => ({}),
): Promise<void> {
  await using service = await startLocalService({ listing: true });
  const { baseUrl, apiKey } = service;
  const config = { baseUrl, apiKey, retrySeconds: "0", ...settings };
  await using plugin = await startPlugin(config, environment(service));
  await use(plugin, service);
}

/** Creates a webhook, and gives its id and its state as the engine hands it over. */
async function createWith(plugin: ProviderProcess, changes: Record<string, unknown> = {}) {
  const { id, outs } = await plugin.create({ ...inputs, ...changes });
  return { id, state: withBareSecret(outs) };
}

describe("A request that the plugin cannot take", () => {
  it.each<[string, string, { setUrn(urn: string): unknown }]>([
    ["Check", "check", new messages.CheckRequest()],
    ["Diff", "diff", new messages.DiffRequest()],
    ["Create", "create", new messages.CreateRequest()],
    ["Read", "read", new messages.ReadRequest()],
    ["Update", "update", new messages.UpdateRequest()],
    ["Delete", "delete", new messages.DeleteRequest()],
  ])(
    "fails in one line: %s of an unknown type, and before Configure",
    async (_, method, request) => {
      await using plugin = await startPlugin();
      request.setUrn("urn:pulumi:test::webhooks::dbwebhooks:index:Hook::orders");
      await expect(plugin.call(method, request)).rejects.toMatchObject({
        code: 3,
        details: expect.stringContaining("write dbwebhooks:index:Webhook"),
      });

      request.setUrn(urn);
      await expect(plugin.call(method, request)).rejects.toMatchObject({
        code: 9,
        details: expect.stringContaining("before Configure"),
      });
    },
  );

  it("knows its type behind the types of its parents", async () => {
    await withPlugin(async (plugin) => {
      const request = new messages.CheckRequest()
        .setUrn(`urn:pulumi:test::webhooks::my:index:Team$${type}::orders`)
        .setNews(struct(inputs));

      await expect(plugin.call("check", request)).resolves.toBeDefined();
    });
  });

  it.each(["42", "base_abc123/", "/42", "base_abc123/orders", "base_abc123/42/", "../42"])(
    "fails in one line: the id %j",
    async (id) => {
      await withPlugin(async (plugin, service) => {
        const calls = [
          plugin.import(id),
          plugin.read(id, inputs),
          plugin.diff(id, inputs, inputs),
          plugin.delete(id, inputs),
        ];

        for (const result of await Promise.allSettled(calls)) {
          expect(result).toMatchObject({
            reason: {
              code: 3,
              details: expect.stringContaining("<databaseId>/<webhookId>, such as base_abc123/42"),
            },
          });
        }
        expect(service.requests).toEqual([]);
      });
    },
  );

  it("is answered at once when it is a call that the plugin does not have", async () => {
    await withPlugin(async (plugin) => {
      await expect(plugin.call("invoke", new messages.InvokeRequest())).rejects.toMatchObject({
        code: 12,
      });
    });
  });
});

describe("The process of the plugin", () => {
  it("ends by itself when its engine is gone and nothing is in flight", async () => {
    await withPlugin(async (plugin) => {
      const ended = once(plugin.child, "exit");

      plugin.engine.close();

      expect(await ended).toEqual([0, null]);
    });
  });

  it("ends by itself when its engine goes before the first request", async () => {
    await using plugin = await startPlugin();
    const ended = once(plugin.child, "exit");

    plugin.engine.close();

    expect(await ended).toEqual([0, null]);
  });

  it("sends nothing more after Cancel; what was sent completes and is stored", async () => {
    await withPlugin(
      async (plugin, service) => {
        const held = service.inject({ on: "POST", fault: { kind: "hold", commit: true } });
        const committed = service.nextRequest({ on: "POST", stage: "committed" });
        const creation = plugin.create(inputs);
        await committed;
        const queued = errorOf(plugin.create({ ...inputs, databaseId: "base_queued" }));

        await plugin.call("cancel", new Empty());
        held.release();

        expect(await creation).toMatchObject({ id: `base_abc123/${service.webhooks[0]?.id}` });
        expect(kindOf(await queued)).toBe("notCreated");
        expect(service.counts).toMatchObject({ posts: 1, created: 1, deletes: 0 });
      },
      { maxConcurrentRequests: "1" },
    );
  });

  it("takes its configuration once", async () => {
    await withPlugin(async (plugin, service) => {
      const configure = (baseUrl: string) =>
        plugin.call(
          "configure",
          new messages.ConfigureRequest().setArgs(
            struct({ baseUrl, apiKey: service.apiKey, retrySeconds: "0" }),
          ),
        );

      await configure(service.baseUrl);
      const error = await errorOf(configure("http://127.0.0.1:1"));
      await plugin.create(inputs);

      expect(kindOf(error)).toBe("invalid");
      expect(service.counts.created).toBe(1);
    });
  });
});

describe("A creation through the plugin", () => {
  it("returns an id with its database, and the secret in Pulumi's envelope", async () => {
    await withPlugin(async (plugin, service) => {
      const { id, outs } = await plugin.create(inputs);

      const [webhook] = service.webhooks;
      expect(id).toBe(`base_abc123/${webhook?.id}`);
      expect(outs).toEqual({
        ...inputs,
        baseUrl: service.baseUrl,
        webhookId: String(webhook?.id),
        secret: { ...secretMark, value: webhook?.secret },
      });
    });
  });

  it("sends nothing when it is a preview", async () => {
    await withPlugin(async (plugin, service) => {
      const request = new messages.CreateRequest()
        .setUrn(urn)
        .setProperties(struct(inputs))
        .setPreview(true);

      const previewed = await plugin.call<messages.CreateResponse>("create", request);

      expect(previewed.getId()).toBe("");
      expect(previewed.getProperties()?.toJavaScript()).toEqual(inputs);
      expect(service.requests).toEqual([]);
    });
  });

  it("reports a partial creation with its id, its state and its reasons", async () => {
    await withPlugin(async (plugin, service) => {
      service.inject({ on: "POST", fault: { kind: "fields", set: { secret: "" } } });
      service.inject({ on: "DELETE", fault: { kind: "respond", statusCode: 403 } });

      const error = await plugin.create(inputs).catch((cause: unknown) => cause);

      const partial = partialCreationOf(error);
      const [webhook] = service.webhooks;
      expect(error).toMatchObject({ code: 2, details: partial?.getReasonsList()[0] });
      expect(partial?.getId()).toBe(`base_abc123/${webhook?.id}`);
      expect(partial?.getProperties()?.toJavaScript()).toEqual({
        ...inputs,
        baseUrl: service.baseUrl,
        webhookId: String(webhook?.id),
      });
      expect(partial?.getReasonsList()).toEqual([expect.stringContaining("answered 403")]);
    });
  });

  it("keeps the secret in its envelope at a refresh and at an update", async () => {
    await withPlugin(async (plugin, service) => {
      const { id, outs } = await plugin.create(inputs);
      const state = withBareSecret(outs);
      service.clearRequests();

      const read = await plugin.read(id, state);
      const updated = await plugin.update(id, state, { ...inputs, allowInsecureUrl: true });

      expect(read).toEqual({ id, props: outs });
      expect(updated).toEqual(outs);
      expect(service.requests).toEqual([]);
    });
  });
});

describe("A difference", () => {
  it.each<[string, Record<string, unknown>, Record<string, object>]>([
    ["a url", { url: "https://example.com/other" }, { url: { kind: 5, inputdiff: true } }],
    ["events", { events: ["record.deleted"] }, { events: { kind: 5, inputdiff: true } }],
    ["a table that is added", { tableId: "tbl_x" }, { tableId: { kind: 1, inputdiff: true } }],
    ["a flag", { allowInsecureUrl: true }, {}],
    [
      "a value that is not known",
      { url: unknownMarkers.string },
      { url: { kind: 5, inputdiff: true } },
    ],
    ["nothing", {}, {}],
  ])("is shown by its property: %s", async (_, changes, details) => {
    await withPlugin(async (plugin) => {
      const { id, state } = await createWith(plugin);

      const diff = await plugin.diff(id, state, { ...inputs, ...changes });

      expect(Object.fromEntries(diff.detaileddiffMap)).toEqual(details);
      expect(diff.hasdetaileddiff).toBe(true);
      expect(diff.replacesList).toEqual(Object.keys(details));
      expect(diff.changes).toBe(Object.keys(details).length > 0 ? 2 : 1);
    });
  });

  it("shows what was removed as removed", async () => {
    await withPlugin(async (plugin) => {
      const { id, state } = await createWith(plugin, { tableId: "tbl_x" });

      const diff = await plugin.diff(id, state, inputs);

      expect(diff.detaileddiffMap).toEqual([["tableId", { kind: 3, inputdiff: true }]]);
    });
  });

  it("of the base URL replaces, and shows no output as removed", async () => {
    await withPlugin(async (plugin) => {
      const { id, state } = await createWith(plugin);

      const diff = await plugin.diff(id, { ...state, baseUrl: "https://old.example" }, inputs);

      expect(diff).toMatchObject({ replacesList: ["baseUrl"], detaileddiffMap: [], changes: 2 });
    });
  });

  it("that drift made is one of the outputs", async () => {
    await withPlugin(async (plugin) => {
      const { id, state } = await createWith(plugin);

      const diff = await plugin.diff(
        id,
        { ...state, url: "https://drifted.example" },
        inputs,
        inputs,
      );

      expect(diff.detaileddiffMap).toEqual([["url", { kind: 5, inputdiff: false }]]);
    });
  });
});

describe("A line of the plugin", () => {
  it("goes to the engine's log with the urn; a replacement is a warning", async () => {
    await withPlugin(async (plugin) => {
      const { id, state } = await createWith(plugin);

      await plugin.diff(id, state, { ...inputs, url: "https://example.com/other" });

      expect(plugin.engine.lines).toEqual([
        { urn, severity: WARNING, line: expect.stringMatching(/^Replacing webhook \d+ of/) },
      ]);
    });
  });

  it("is a warning for drift", async () => {
    await withPlugin(
      async (plugin, service) => {
        const { id, state } = await createWith(plugin);
        service.updateWebhook(1, { url: "https://example.com/other", active: false });

        const { props } = await plugin.read(id, state);

        expect(props).toMatchObject({ url: "https://example.com/other" });
        expect(plugin.engine.lines).toEqual([
          { urn, severity: WARNING, line: expect.stringContaining("Drift of webhook 1") },
          { urn, severity: WARNING, line: expect.stringContaining("has switched off") },
        ]);
      },
      { listing: "true" },
    );
  });

  it("is a warning for a webhook that was not there, and information for an adoption", async () => {
    await withPlugin(async (plugin, service) => {
      const { id, state } = await createWith(plugin);
      service.removeWebhook(1);

      await plugin.delete(id, state);
      await plugin.create({ ...inputs, adopt: { id: "2", secret: "whsec_adopted" } });

      await expect
        .poll(() => plugin.engine.lines)
        .toEqual([
          { urn, severity: WARNING, line: expect.stringContaining("did not have webhook 1") },
          { urn, severity: INFO, line: expect.stringContaining("manages webhook 2") },
        ]);
    });
  });
});

describe("customTimeouts", () => {
  const throttled: Fault = {
    kind: "respond",
    statusCode: 429,
    headers: { "retry-after": "30" },
  };
  const settings = { retrySeconds: "600", timeoutSeconds: "600" };

  it("ends the retries of a creation, which then has sent nothing more", async () => {
    await withPlugin(async (plugin, service) => {
      service.inject({ on: "POST", fault: throttled });

      const error = await plugin.create(inputs, 5).catch((cause: unknown) => cause);

      expect(error).toMatchObject({ details: expect.stringContaining("customTimeouts, 5 s") });
      expect(error).toMatchObject({ details: expect.stringContaining("[notCreated]") });
      expect(service.counts).toMatchObject({ posts: 1, created: 0 });
    }, settings);
  });

  it("leaves a creation in doubt when it is cut after it was sent", async () => {
    await withPlugin(async (plugin, service) => {
      // So that all modules are loaded, and a connection is established.
      await plugin.create(inputs);
      service.inject({ on: "POST", fault: { kind: "neverAnswer", commit: true } });

      const error = await plugin.create(inputs, 1).catch((cause: unknown) => cause);

      expect(error).toMatchObject({ details: expect.stringContaining("customTimeouts, 1 s") });
      expect(error).toMatchObject({ details: expect.stringContaining("[inDoubt]") });
      expect(service.counts).toMatchObject({ posts: 2, created: 2 });
    }, settings);
  });

  it.each<[string, number, Fault]>([
    ["while it waits", 5, throttled],
    ["while the service is silent", 0.5, { kind: "neverAnswer" }],
  ])("ends a deletion %s, and the webhook stays in the state", async (_, seconds, fault) => {
    await withPlugin(async (plugin, service) => {
      const { id, state } = await createWith(plugin);
      service.inject({ on: "DELETE", fault });

      const error = await plugin.delete(id, state, seconds).catch((cause: unknown) => cause);

      const text = `customTimeouts, ${seconds} s`;
      expect(error).toMatchObject({ details: expect.stringContaining(text) });
      expect(error).toMatchObject({ details: expect.stringContaining("[kept]") });
      expect(service.counts).toMatchObject({ deletes: 1, deleted: 0 });
    }, settings);
  });

  it("ends a creation that still waits for its turn, which was never sent", async () => {
    await withPlugin(
      async (plugin, service) => {
        const held = service.inject({ on: "POST", fault: { kind: "hold" }, times: 1 });
        const arrived = service.nextRequest({ on: "POST", stage: "received" });
        const first = plugin.create(inputs);
        await arrived;

        const error = await plugin.create(inputs, 0.3).catch((cause: unknown) => cause);
        held.release();
        await first;

        const text = "was not sent, because the time was over (customTimeouts, 0.3 s)";
        expect(error).toMatchObject({ details: expect.stringContaining(text) });
        expect(service.counts).toMatchObject({ posts: 1 });
      },
      { ...settings, maxConcurrentRequests: "1" },
    );
  });

  it.each(["https", "http"] as const)(
    "holds before a connection is established: %s",
    async (scheme) => {
      const silent = createServer().listen(0, "127.0.0.1");
      await once(silent, "listening");
      const silentUrl = `${scheme}://127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const environment =
        scheme === "https"
          ? { DBWEBHOOKS_BASE_URL: silentUrl }
          : { DBWEBHOOKS_BASE_URL: "https://tables.example.com", HTTPS_PROXY: silentUrl };
      await withPlugin(
        async (plugin, service) => {
          const state = { ...inputs, baseUrl: service.baseUrl, secret: "whsec_x" };

          const errors = await Promise.all([
            errorOf(plugin.create(inputs, 0.5)),
            errorOf(plugin.delete("base_abc123/1", state, 0.5)),
          ]);

          expect(errors.map(kindOf)).toEqual(["notCreated", "kept"]);
          for (const { message } of errors) {
            expect(message).toContain("customTimeouts, 0.5 s");
          }
        },
        settings,
        (service) => ({ ...environment, DBWEBHOOKS_FORMER_BASE_URLS: service.baseUrl }),
      );
      silent.close();
    },
  );

  it("does not cut the undoing of what came without a secret", async () => {
    await withPlugin(async (plugin, service) => {
      service.inject({ on: "POST", fault: { kind: "fields", remove: ["secret"] } });
      service.inject({ on: "DELETE", fault: { kind: "delay", ms: 1_500 } });

      const error = await plugin.create(inputs, 1).catch((cause: unknown) => cause);

      expect(error).toMatchObject({ details: expect.stringContaining("[undone]") });
      expect(service.webhooks).toEqual([]);
    }, settings);
  });
});
