import { LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { EngineLog } from "../../src/adapters/plugin/engine-log.js";
import { PluginServer } from "../../src/adapters/plugin/server.js";
import { version } from "../../src/common/version.js";
import type { Fault } from "../../src/local-service/index.js";
import { EngineMonitor } from "../../src/provider/engine.js";
import { partialCreationOf, withUnwrappedSecret } from "../helpers/adapters/adapters.js";
import { startEngine } from "../helpers/adapters/engine-stand-in.js";
import { connect, operationsOf, struct } from "../helpers/adapters/provider-calls.mjs";
import { secretMark, someArgs, someState } from "../helpers/builders.js";
import { errorOf } from "../helpers/error-of.js";
import { withFields } from "../helpers/faults/faults.mjs";
import { startRawServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { createWebhook, startService } from "../helpers/local-service.js";

// The translation between Pulumi's gRPC calls and the rules. Other unit tests hold the rules, and both
// adapters run as processes in test/process.

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
  const server = new PluginServer(new EngineMonitor(undefined, () => {}), log);
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

describe("The plugin", () => {
  it("refuses a resource of another type, and names its own", async () => {
    const { plugin } = await startBoth();
    const otherUrn = "urn:pulumi:test::webhooks::my:index:Team$dbwebhooks:index:Hook::orders";
    const request = new messages.CheckRequest().setUrn(otherUrn);

    const error = await errorOf(plugin.call("check", request));

    expect(error).toMatchObject({ code: 3, message: expect.stringContaining(type) });
  });

  it("refuses a resource before it is configured", async () => {
    const { call } = await startPlugin();
    const childUrn = `urn:pulumi:test::webhooks::my:index:Team$${type}::orders`;

    const error = await errorOf(call("create", new messages.CreateRequest().setUrn(childUrn)));

    expect(error).toMatchObject({ code: 9 });
  });

  it("sends nothing about an id without a number", async () => {
    const { plugin, service } = await startBoth();
    const id = "base_abc123/orders";

    const attempts = [
      plugin.import(id),
      plugin.read(id, inputs),
      plugin.diff(id, inputs, inputs),
      plugin.delete(id, inputs),
    ];

    expect(await Promise.all(attempts.map(errorOf))).toMatchObject(Array(4).fill({ code: 3 }));
    expect(service.requests).toEqual([]);
  });

  it("accepts its configuration again, and refuses another one", async () => {
    const { plugin, service, create } = await startBoth();
    const { baseUrl, apiKey } = service;

    await plugin.configure({ baseUrl, apiKey, retrySeconds: "0" });
    const error = await errorOf(plugin.configure({ baseUrl: "http://127.0.0.1:1", apiKey }));
    await create();

    expect(error).toMatchObject({ code: 9 });
    expect(service.counts.created).toBe(1);
  });

  it("has the version of the package, also in its schema", async () => {
    const { call } = await startPlugin();

    const info = await call<PluginInfo>("getPluginInfo", new Empty());
    const request = new messages.GetSchemaRequest();
    const schema = await call<messages.GetSchemaResponse>("getSchema", request);

    expect(info.getVersion()).toBe(version);
    expect(JSON.parse(schema.getSchema())).toMatchObject({ name: "dbwebhooks", version });
  });

  it("shows the warnings of a check of its configuration", async () => {
    const { call, engine } = await startPlugin();
    const request = new messages.CheckRequest().setName("default");

    await call("checkConfig", request.setNews(struct({ timeout: "1" })));

    expect(engine.lines).toMatchObject([{ urn: "", severity: WARNING }]);
  });

  it("sends no further request after Cancel", async () => {
    const { plugin, service } = await startBoth();

    await plugin.call("cancel", new Empty());

    expect(kindOf(await errorOf(plugin.create(inputs)))).toBe("notCreated");
    expect(service.requests).toEqual([]);
  });
});

describe("Another base URL of a provider", () => {
  it("causes one warning before the provider is configured, and one afterwards", async () => {
    const { call, configure, engine } = await startPlugin();
    const next = { baseUrl: "https://b.example", apiKey: "key" };
    const request = new messages.DiffRequest().setName("eu").setNews(struct(next));
    request.setOldInputs(struct({ ...next, baseUrl: "https://a.example" }));
    const compare = () => call<messages.DiffResponse>("diffConfig", request);

    const compared = await compare();
    await configure(next);
    await compare();
    await compare();

    const moved = { urn: "", severity: WARNING, line: expect.stringContaining("formerBaseUrls") };
    const replaced = {
      urn: "",
      severity: WARNING,
      line: expect.stringContaining("secrets change"),
    };
    expect(compared.getReplacesList()).toEqual(["baseUrl"]);
    expect(engine.lines).toEqual([moved, replaced]);
  });
});

describe("The engine's log", () => {
  it("is reached without the proxy of lower-case variables", async () => {
    await using proxy = await startRawServer((socket) => socket.destroy());
    for (const name of ["http_proxy", "https_proxy", "grpc_proxy"]) {
      vi.stubEnv(name, proxy.url);
    }
    const engine = await startEngine();
    onTestFinished(() => engine.close());
    const log = new EngineLog(`127.0.0.1:${engine.port}`);

    log.write(urn, "A line.", "info");
    await log.flush();

    expect(engine.lines).toEqual([{ urn, line: "A line.", severity: INFO }]);
  });

  it("delays nothing when the engine is gone", async () => {
    const engine = await startEngine();
    const log = new EngineLog(`127.0.0.1:${engine.port}`);
    engine.close();

    log.write(urn, "A line.", "info");

    await expect(log.flush()).resolves.toBeUndefined();
  });
});

describe("A webhook of the plugin", () => {
  it("has an id with its database, and a wrapped secret after every operation", async () => {
    const { plugin, service, create } = await startBoth();

    const { id, outs, state } = await create();
    const read = await plugin.read(id, state);
    const updated = await plugin.update(id, state, { ...inputs, allowInsecureUrl: true });

    const { id: webhookId, secret } = service.webhooks[0] ?? {};
    expect(id).toBe(`base_abc123/${webhookId}`);
    expect(outs).toEqual({
      ...inputs,
      baseUrl: service.baseUrl,
      webhookId: String(webhookId),
      secret: { ...secretMark, value: secret },
    });
    expect(read).toEqual({ id, props: outs });
    expect(updated).toEqual(outs);
    expect(service.requests).toHaveLength(1);
  });

  it("is checked without a request", async () => {
    const { plugin, service } = await startBoth();

    const { inputs: checked, failures } = await plugin.check({ ...inputs, tableId: 7 });

    expect(checked).toEqual({ ...inputs, tableId: 7 });
    expect(failures).toEqual([expect.stringMatching(/^tableId: /)]);
    expect(service.requests).toEqual([]);
  });

  it("is not created in a preview", async () => {
    const { plugin, service } = await startBoth();
    const request = new messages.CreateRequest().setProperties(struct(inputs)).setPreview(true);

    const response = await plugin.call<messages.CreateResponse>("create", request.setUrn(urn));

    expect(response.getProperties()?.toJavaScript()).toEqual(inputs);
    expect(service.requests).toEqual([]);
  });

  it("is stored with its id when it has no secret and cannot be deleted", async () => {
    const { plugin, service } = await startBoth();
    service.inject({ on: "POST", fault: withFields({ secret: "" }) });
    service.inject({ on: "DELETE", fault: refusal });

    const error = await errorOf(plugin.create(inputs));

    const partial = partialCreationOf(error);
    const webhookId = String(service.webhooks[0]?.id);
    const { baseUrl } = service;
    expect(partial?.getId()).toBe(`base_abc123/${webhookId}`);
    expect(partial?.getProperties()?.toJavaScript()).toEqual({ ...inputs, baseUrl, webhookId });
    expect(error).toMatchObject({ code: 2, details: partial?.getReasonsList()[0] });
  });

  it("differs in its outputs only if the inputs of the last program are known", async () => {
    const { plugin, create } = await startBoth();
    const { id, state } = await create();
    const drifted = { ...state, url: otherUrl };

    const known = await plugin.diff(id, drifted, inputs, inputs);
    const unknown = await plugin.diff(id, drifted, inputs);

    expect(known.detaileddiffMap).toMatchObject([["url", { inputdiff: false }]]);
    expect(unknown.detaileddiffMap).toMatchObject([["url", { inputdiff: true }]]);
  });

  it("has no difference in what the program ignores", async () => {
    const { plugin, service } = await startBoth();
    const { baseUrl } = service;
    const olds = struct(someState({ url: otherUrl, baseUrl }));
    const request = new messages.DiffRequest().setOlds(olds).setNews(struct(inputs));
    request.setUrn(urn).setId("base_abc123/17").setIgnorechangesList(["url"]);

    const response = await plugin.call<messages.DiffResponse>("diff", request);

    expect(response.getReplacesList()).toEqual([]);
  });

  it("is read as the service has it, with a warning about its drift", async () => {
    const { plugin, service, create } = await startBoth({ listing: "true" });
    const { id, state } = await create();
    service.updateWebhook(1, { url: otherUrl });

    const { props } = await plugin.read(id, state);

    expect(props).toMatchObject({ url: otherUrl });
    await expect.poll(() => plugin.engine.lines).toMatchObject([{ urn, severity: WARNING }]);
  });

  it("is read without an id when it is gone", async () => {
    const { plugin, service, create } = await startBoth({ listing: "true" });
    const { id, state } = await create();
    service.removeWebhook(1);

    expect(await plugin.read(id, state)).toEqual({ id: "", props: {} });
  });
});

describe("customTimeouts", () => {
  it("end a creation and a deletion that wait for a rate limit", async () => {
    const { plugin, service, create } = await startBoth({ retrySeconds: "600" });
    const { id, state } = await create();
    const headers = { "retry-after": "30" };
    service.inject({ fault: { kind: "respond", statusCode: 429, headers } });

    const errors = await Promise.all([
      errorOf(plugin.create(inputs, 0.5)),
      errorOf(plugin.delete(id, state, 0.5)),
    ]);

    expect(errors.map(kindOf)).toEqual(["notCreated", "notDeleted"]);
    expect(service.counts).toMatchObject({ posts: 2, created: 1, deletes: 1 });
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

describe("An import by the plugin", () => {
  const id = "base_abc123/1";
  const url = { ...secretMark, value: inputs.url };

  async function startWithWebhook() {
    const { plugin, service } = await startBoth({ listing: "true" });
    const { databaseId, ...body } = inputs;
    await createWebhook(service, { databaseId: String(databaseId), body });
    const { secret = "" } = service.webhooks[0] ?? {};
    vi.stubEnv("DBWEBHOOKS_IMPORT_SECRET", secret);
    const { baseUrl } = service;
    const outputs = { baseUrl, webhookId: "1", secret: { ...secretMark, value: secret } };
    return { plugin, props: { ...inputs, url, ...outputs } };
  }

  it("returns the url and the secret wrapped", async () => {
    const { plugin, props } = await startWithWebhook();

    expect(await plugin.import(id)).toEqual({ id, inputs: { ...inputs, url }, props });
  });

  it("is also the read of a webhook of which Pulumi knows a part of the properties", async () => {
    const { plugin, props } = await startWithWebhook();

    const read = await plugin.read(id, { databaseId: inputs.databaseId });

    expect(read.props).toEqual(props);
  });

  it("advises to adopt a webhook that the list does not hold, and a read does not", async () => {
    const { plugin } = await startWithWebhook();

    const importError = await errorOf(plugin.import("base_abc123/2"));
    const readError = await errorOf(plugin.read("base_abc123/2", {}));

    expect([importError, readError].map(kindOf)).toEqual(["unchanged", "unchanged"]);
    expect(importError.message).toContain(" adopt ");
    expect(readError.message).not.toContain(" adopt ");
  });
});
