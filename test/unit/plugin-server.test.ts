import { LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { EngineLog } from "../../src/adapters/plugin/engine-log.js";
import { PluginServer } from "../../src/adapters/plugin/server.js";
import { version } from "../../src/common/version.js";
import type { Fault } from "../../src/local-service/index.js";
import { Engine } from "../../src/provider/engine.js";
import { withUnwrappedSecret } from "../helpers/adapters/adapters.js";
import { startEngine } from "../helpers/adapters/engine-stand-in.js";
import { connect, operationsOf, struct } from "../helpers/adapters/provider-calls.mjs";
import { partialCreationOf } from "../helpers/adapters/provider-process.js";
import { secretMark, someArgs, someState } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { withFields } from "../helpers/faults/faults.mjs";
import { startRawServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { createWebhook, startService } from "../helpers/local-service.js";

// The translation between Pulumi's gRPC calls and the rules. Other unit tests hold the rules; both adapters run
// as processes in test/process.

const type = "dbwebhooks:index:Webhook";
const urn = `urn:pulumi:test::webhooks::${type}::orders`;
const inputs = someArgs();
const otherUrl = "https://example.com/other";
const refusal: Fault = { kind: "respond", statusCode: 403 };
const { INFO, WARNING } = LogSeverity;

afterEach(() => void vi.unstubAllEnvs());

/** A server of the plugin in this process, which is configured only if there is a configuration. */
async function startPlugin(configuration?: Record<string, unknown>) {
  const engine = await startEngine();
  const log = new EngineLog(`127.0.0.1:${engine.port}`);
  const server = new PluginServer(new Engine(undefined, () => {}), log);
  const { call, close } = connect(String(await server.listen()));
  onTestFinished(() => {
    close();
    engine.close();
  });
  const configure = (args: Record<string, unknown>) =>
    call("configure", new messages.ConfigureRequest().setArgs(struct(args)));
  if (configuration !== undefined) {
    await configure(configuration);
  }
  return { ...operationsOf(call, urn), call, configure, engine };
}

/** A configured plugin with a service of its own. */
async function startBoth(settings: Record<string, string> = {}) {
  const service = await startService({ listing: true });
  const { baseUrl, apiKey } = service;
  const plugin = await startPlugin({ baseUrl, apiKey, retrySeconds: "0", ...settings });
  const create = async (changes: Record<string, unknown> = {}) => {
    const { id, outs } = await plugin.create({ ...inputs, ...changes });
    return { id, outs, state: withUnwrappedSecret(outs) };
  };
  return { plugin, service, create };
}

describe("A request that the plugin cannot take", () => {
  it.each([
    ["check", new messages.CheckRequest()],
    ["diff", new messages.DiffRequest()],
    ["create", new messages.CreateRequest()],
    ["read", new messages.ReadRequest()],
    ["update", new messages.UpdateRequest()],
    ["delete", new messages.DeleteRequest()],
  ])("is a %s of another type, or one before Configure", async (method, request) => {
    const plugin = await startPlugin();
    const errorWith = (type: string) => {
      request.setUrn(`urn:pulumi:test::webhooks::my:index:Team$${type}::orders`);
      return errorOf(plugin.call(method, request));
    };

    const errors = [await errorWith("dbwebhooks:index:Hook"), await errorWith(type)];

    expect(errors).toMatchObject([{ code: 3 }, { code: 9 }]);
    expect(errors[0]?.message).toContain(`write ${type}`);
  });

  it.each(["42", "base_abc123/orders"])("has the id %s, and sends nothing", async (id) => {
    const { plugin, service } = await startBoth();
    const calls = [
      plugin.import(id),
      plugin.read(id, inputs),
      plugin.diff(id, inputs, inputs),
      plugin.delete(id, inputs),
    ];

    for (const error of await Promise.all(calls.map((call) => errorOf(call)))) {
      expect(error).toMatchObject({ code: 3, message: expect.stringContaining("DATABASE/NUMBER") });
    }
    expect(service.requests).toEqual([]);
  });

  it("is an import of a number alone, which asks for the database", async () => {
    const { plugin } = await startBoth();

    const { message } = await errorOf(plugin.import("42"));

    expect(message).toMatch(/Import webhook failed: which database .*\bbase_abc123\/42\b/);
  });

  it("is another configuration than the first", async () => {
    const { plugin, service, create } = await startBoth();
    const { baseUrl, apiKey } = service;

    await plugin.configure({ baseUrl, apiKey, retrySeconds: "0" });
    const error = await errorOf(plugin.configure({ baseUrl: "http://127.0.0.1:1", apiKey }));
    await create();

    expect(error).toMatchObject({ code: 9 });
    expect(service.counts.created).toBe(1);
  });
});

describe("Requests in flight", () => {
  it("share connections", async () => {
    const { service, create } = await startBoth({ maxConcurrentRequests: "4" });

    const created = await Promise.all(Array.from({ length: 30 }, () => create()));

    expect(new Set(created.map(({ id }) => id)).size).toBe(30);
    expect(service.counts.connections).toBeLessThan(30);
  });

  it("complete after Cancel and are stored, and no others are sent", async () => {
    const { plugin, service } = await startBoth({ maxConcurrentRequests: "1" });
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
  });
});

describe("The plugin", () => {
  it("has the version of the package, in its schema, too", async () => {
    const { call } = await startPlugin();

    const info = await call<PluginInfo>("getPluginInfo", new Empty());
    const request = new messages.GetSchemaRequest();
    const schema = await call<messages.GetSchemaResponse>("getSchema", request);

    expect(info.getVersion()).toBe(version);
    expect(JSON.parse(schema.getSchema())).toMatchObject({ name: "dbwebhooks", version });
  });

  it("checks a provider, and warns in the log about names that it does not know", async () => {
    const { call, engine } = await startPlugin();
    const check = async (name: string) => {
      const request = new messages.CheckRequest().setName(name).setNews(struct({ timeout: "1" }));
      const response = await call<messages.CheckResponse>("checkConfig", request);
      return response.getFailuresList().map((failure) => failure.getReason().split(": ")[0]);
    };

    expect(await check("default")).toEqual([]);
    expect(engine.lines).toEqual([
      { urn: "", severity: WARNING, line: expect.stringContaining("dbwebhooks:timeout") },
    ]);
    expect(await check("eu")).toEqual(["timeout", "dbwebhooks:baseUrl", "dbwebhooks:apiKey"]);
  });
});

describe("Another base URL of a provider", () => {
  it("is a warning once per process, as soon as the provider is configured", async () => {
    const [old, next] = ["https://a.example", "https://b.example"].map((baseUrl) => {
      return { baseUrl, apiKey: "key" };
    });
    const { call, configure, engine } = await startPlugin();
    const request = new messages.DiffRequest().setName("eu").setOldInputs(struct(old ?? {}));
    const compare = async () => {
      const response = await call<messages.DiffResponse>(
        "diffConfig",
        request.setNews(struct(next ?? {})),
      );
      return [response.getReplacesList(), engine.lines.length];
    };

    const ofProvider = await compare();
    await configure(next ?? {});
    const ofWebhooks = [await compare(), await compare()];

    expect(ofProvider).toEqual([["baseUrl"], 0]);
    expect(ofWebhooks).toEqual(Array(2).fill([["baseUrl"], 1]));
    expect(engine.lines).toMatchObject([{ urn: "", severity: WARNING }]);
  });
});

describe("The engine's log", () => {
  it("is reached without the proxy of lower-case variables, and reports a lost connection", async () => {
    await using proxy = await startRawServer((socket) => socket.destroy());
    for (const name of ["http_proxy", "https_proxy", "grpc_proxy"]) {
      vi.stubEnv(name, proxy.url);
    }
    const engine = await startEngine();
    const log = new EngineLog(`127.0.0.1:${engine.port}`);
    const lost = vi.fn();

    log.write(urn, "A line.", "info");
    await log.flush();
    log.onDisconnect(lost);
    expect(engine.lines).toEqual([{ urn, line: "A line.", severity: INFO }]);
    expect(lost).not.toHaveBeenCalled();
    engine.close();

    await expect.poll(() => lost.mock.calls.length).toBeGreaterThan(0);
    // A line to an engine that is gone delays nothing.
    log.write(urn, "Another line.", "info");
    await log.flush();
  });
});

describe("A webhook of the plugin", () => {
  it("has an id with its database and a wrapped secret after every operation", async () => {
    const { plugin, service, create } = await startBoth();

    const { id, outs, state } = await create();
    const read = await plugin.read(id, state);
    const updated = await plugin.update(id, state, { ...inputs, allowInsecureUrl: true });

    const [webhook] = service.webhooks;
    expect(id).toBe(`base_abc123/${webhook?.id}`);
    expect(outs).toEqual({
      ...inputs,
      baseUrl: service.baseUrl,
      webhookId: String(webhook?.id),
      secret: { ...secretMark, value: webhook?.secret },
    });
    expect(read).toEqual({ id, props: outs });
    expect(updated).toEqual(outs);
    expect(service.requests).toHaveLength(1);
  });

  it("is not created in a preview", async () => {
    const { plugin, service } = await startBoth();
    const request = new messages.CreateRequest().setProperties(struct(inputs)).setPreview(true);

    const response = await plugin.call<messages.CreateResponse>("create", request.setUrn(urn));

    expect(response.toObject()).toMatchObject({ id: "" });
    expect(response.getProperties()?.toJavaScript()).toEqual(inputs);
    expect(service.requests).toEqual([]);
  });

  it("that was created without a secret and cannot be deleted is stored with its id and the reasons", async () => {
    const { plugin, service } = await startBoth();
    service.inject({ on: "POST", fault: withFields({ secret: "" }) });
    service.inject({ on: "DELETE", fault: refusal });

    const error = await errorOf(plugin.create(inputs));

    const partial = partialCreationOf(error);
    const webhookId = String(service.webhooks[0]?.id);
    expect(error).toMatchObject({ code: 2, details: partial?.getReasonsList()[0] });
    expect(partial?.getId()).toBe(`base_abc123/${webhookId}`);
    expect(partial?.getProperties()?.toJavaScript()).toEqual({
      ...inputs,
      baseUrl: service.baseUrl,
      webhookId,
    });
    expect(partial?.getReasonsList()).toEqual([expect.stringContaining("returned 403")]);
  });

  it("is compared with the program and with the inputs of the last one", async () => {
    const { plugin, create } = await startBoth();
    const { id, state } = await create({ tableId: "tbl_x" });
    const old = { ...inputs, tableId: "tbl_x" };
    const drifted = { ...state, url: "https://drifted.example" };
    const detailsOf = async (...[olds, news, oldInputs]: Record<string, unknown>[]) =>
      Object.fromEntries(
        (await plugin.diff(id, olds ?? {}, news ?? {}, oldInputs)).detaileddiffMap,
      );

    expect(await detailsOf(state, old)).toEqual({});
    expect(await detailsOf(state, { ...inputs, url: otherUrl })).toEqual({
      url: { kind: 5, inputdiff: true },
      tableId: { kind: 3, inputdiff: true },
    });
    expect(await detailsOf(drifted, old, old)).toEqual({ url: { kind: 5, inputdiff: false } });
  });

  it("is not compared by what the program ignores", async () => {
    const { plugin, service } = await startBoth();
    const { baseUrl } = service;
    const olds = struct(someState({ url: "https://drifted.example", baseUrl }));
    const request = new messages.DiffRequest().setOlds(olds).setNews(struct(inputs));
    request.setUrn(urn).setId("base_abc123/17").setIgnorechangesList(["url"]);

    const response = await plugin.call<messages.DiffResponse>("diff", request);

    expect(response.getReplacesList()).toEqual([]);
  });

  it("has drift and its absence as warnings, and an adoption as information", async () => {
    const { plugin, service, create } = await startBoth({ listing: "true" });
    const { id, state } = await create();
    const other = await create({ databaseId: "base_other" });
    service.updateWebhook(1, { url: otherUrl, active: false });
    service.removeWebhook(2);

    const { props } = await plugin.read(id, state);
    const gone = await plugin.read(other.id, other.state);
    await plugin.delete(other.id, other.state);
    const { databaseId: _, ...body } = inputs;
    await createWebhook(service, { databaseId: "base_abc123", body });
    await create({ adopt: { id: "3", secret: "whsec_adopted" } });

    expect(props).toMatchObject({ url: otherUrl });
    expect(gone).toEqual({ id: "", props: {} });
    const expected: [string, number][] = [
      ["Drift of webhook 1", WARNING],
      ["has switched off", WARNING],
      ["webhook 2", WARNING],
      ["no longer had webhook 2", WARNING],
      ["manages webhook 3", INFO],
    ];
    const lines = expected.map(([text, severity]) => {
      return { urn, severity, line: expect.stringContaining(text) };
    });
    await expect.poll(() => plugin.engine.lines).toEqual(lines);
  });
});

describe("customTimeouts", () => {
  const throttled: Fault = { kind: "respond", statusCode: 429, headers: { "retry-after": "30" } };
  const silence: Fault = { kind: "neverAnswer", commit: true };

  it.each<[string, Fault, string, string, number]>([
    ["while they wait", throttled, "notCreated", "notDeleted", 0],
    ["while the service is silent", silence, "inDoubt", "notDeleted", 1],
  ])("end operations %s", async (_, fault, creation, deletion, created) => {
    const { plugin, service, create } = await startBoth({ retrySeconds: "600" });
    const { id, state } = await create();
    service.inject({ fault });

    const errors = await Promise.all([
      errorOf(plugin.create(inputs, 0.5)),
      errorOf(plugin.delete(id, state, 0.5)),
    ]);

    expect(errors.map(kindOf)).toEqual([creation, deletion]);
    for (const { message } of errors) {
      expect(message).toContain("customTimeouts, 0.5 s");
    }
    expect(service.counts).toMatchObject({ posts: 2, created: 1 + created, deletes: 1 });
  });

  it("end a creation in the queue, and never an undo", async () => {
    const { plugin, service } = await startBoth({ maxConcurrentRequests: "1" });
    service.inject({ on: "POST", fault: withFields({ secret: undefined }) });
    service.inject({ on: "DELETE", fault: { kind: "delay", ms: 800 } });
    const deleting = service.nextRequest({ on: "DELETE", stage: "received" });
    const first = errorOf(plugin.create(inputs, 0.7));
    await deleting;

    const queued = await errorOf(plugin.create(inputs, 0.1));

    expect([kindOf(queued), kindOf(await first)]).toEqual(["notCreated", "undone"]);
    expect(service.counts).toMatchObject({ posts: 1, deleted: 1 });
  });
});

describe("An import", () => {
  it("gives url and secret as secrets, also where the check gives the arguments back", async () => {
    const { plugin, service } = await startBoth({ listing: "true" });
    const { databaseId, ...body } = inputs;
    await createWebhook(service, { databaseId: String(databaseId), body });
    const { secret = "" } = service.webhooks[0] ?? {};
    vi.stubEnv("DBWEBHOOKS_IMPORT_SECRET", secret);
    const id = "base_abc123/1";

    const imported = await plugin.import(id);
    const checked = await plugin.check(inputs, inputs);
    // What a program only reads has no inputs, and a part of its properties at most.
    const read = await plugin.read(id, { databaseId });
    const errors = await Promise.all([
      errorOf(plugin.import("base_abc123/2")),
      errorOf(plugin.read("base_abc123/2", {})),
    ]);

    const marked = { ...inputs, url: { ...secretMark, value: inputs.url } };
    expect(imported).toEqual({
      id,
      inputs: marked,
      props: {
        ...marked,
        baseUrl: service.baseUrl,
        webhookId: "1",
        secret: { ...secretMark, value: secret },
      },
    });
    expect(checked).toEqual({ inputs: marked, failures: [] });
    expect(read.props).toEqual(imported.props);
    expect(errors.map(kindOf)).toEqual(["unchanged", "unchanged"]);
    expect(errors.map(({ message }) => message.includes("adopt"))).toEqual([true, false]);
    expect(errors.join()).not.toContain(secret);
  });
});
