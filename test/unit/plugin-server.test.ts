import { status } from "@grpc/grpc-js";
import { LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EngineLog } from "../../src/adapters/plugin/engine-log.js";
import { PluginServer } from "../../src/adapters/plugin/server.js";
import { version } from "../../src/common/version.js";
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

// The translation between Pulumi's gRPC calls and WebhookProvider, which has its own unit tests. The tests in
// test/process run both adapters as processes.

const type = "dbwebhooks:index:Webhook";
/** A webhook that is a child of a component. */
const urn = `urn:pulumi:test::webhooks::my:index:Team$${type}::orders`;
const inputs = someArgs();
const otherUrl = "https://example.com/other";
const { INFO, WARNING } = LogSeverity;

/** Starts the plugin's server in this process. It is configured only if there is a configuration. */
async function startPlugin(configuration?: Record<string, unknown>, givenLog?: EngineLog) {
  const engineStub = await startEngine();
  const log = givenLog ?? new EngineLog(`127.0.0.1:${engineStub.port}`);
  const server = new PluginServer(new EngineMonitor(undefined, () => {}), log);
  const { call, close } = connect(String(await server.listen()));
  onTestFinished(() => {
    close();
    engineStub.close();
  });
  const configure = (args: Record<string, unknown>) =>
    call("configure", new messages.ConfigureRequest().setArgs(struct(args)));
  if (configuration !== undefined) {
    await configure(configuration);
  }
  return { ...operationsOf(call, urn), call, configure, lines: engineStub.lines };
}

/** Starts a service and a plugin that is configured to use it. */
async function startConfigured(settings: Record<string, string> = {}) {
  const service = await startService({ listing: true });
  const { baseUrl, apiKey } = service;
  const plugin = await startPlugin({ baseUrl, apiKey, retrySeconds: "0", ...settings });
  const create = async () => {
    const { id, outs } = await plugin.create(inputs);
    return { id, outs, state: withUnwrappedSecret(outs) };
  };
  return { plugin, service, create };
}

describe("The plugin", () => {
  it("refuses a resource of another type, and names its own", async () => {
    const { plugin } = await startConfigured();
    const otherUrn = "urn:pulumi:test::webhooks::my:index:Team$dbwebhooks:index:Hook::orders";
    const request = new messages.CheckRequest().setUrn(otherUrn);

    const error = await errorOf(plugin.call("check", request));

    const message = expect.stringContaining(type);
    expect(error).toMatchObject({ code: status.INVALID_ARGUMENT, message });
  });

  it("refuses a resource before it is configured", async () => {
    const { call } = await startPlugin();

    const error = await errorOf(call("create", new messages.CreateRequest().setUrn(urn)));

    expect(error).toMatchObject({ code: status.FAILED_PRECONDITION });
  });

  it("sends nothing about an id without a number", async () => {
    const { plugin, service } = await startConfigured();
    const id = "base_abc123/orders";

    const attempts = [
      plugin.import(id),
      plugin.read(id, inputs),
      plugin.diff(id, inputs, inputs),
      plugin.delete(id, inputs),
    ];

    const invalid = { code: status.INVALID_ARGUMENT };
    const errors = await Promise.all(attempts.map(errorOf));
    expect(errors).toMatchObject([invalid, invalid, invalid, invalid]);
    expect(service.requests).toEqual([]);
  });

  it("accepts the same configuration again, and refuses another one", async () => {
    const { plugin, service, create } = await startConfigured();
    const { baseUrl, apiKey } = service;

    await plugin.configure({ baseUrl, apiKey, retrySeconds: "0" });
    const error = await errorOf(plugin.configure({ baseUrl: "http://127.0.0.1:1", apiKey }));
    await create();

    expect(error).toMatchObject({ code: status.FAILED_PRECONDITION });
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
    const { call, lines } = await startPlugin();
    const request = new messages.CheckRequest().setName("default");

    await call("checkConfig", request.setNews(struct({ timeout: "1" })));

    expect(lines).toMatchObject([{ urn: "", severity: WARNING }]);
  });

  it("sends no further request after Cancel", async () => {
    const { plugin, service } = await startConfigured();

    await plugin.call("cancel", new Empty());

    expect(kindOf(await errorOf(plugin.create(inputs)))).toBe("notCreated");
    expect(service.requests).toEqual([]);
  });
});

describe("The diff of a provider with another base URL", () => {
  it("logs one warning before the provider is configured, and one afterwards", async () => {
    const { call, configure, lines } = await startPlugin();
    const next = { baseUrl: "https://b.example", apiKey: "key" };
    const request = new messages.DiffRequest().setName("eu").setNews(struct(next));
    request.setOldInputs(struct({ ...next, baseUrl: "https://a.example" }));
    const compare = () => call("diffConfig", request);

    await compare();
    await configure(next);
    await compare();
    await compare();

    expect(lines).toEqual([
      { urn: "", severity: WARNING, line: expect.stringContaining("formerBaseUrls") },
      { urn: "", severity: WARNING, line: expect.stringContaining("secrets change") },
    ]);
  });
});

describe("The engine's log", () => {
  it("ignores the proxies that lower-case variables name", async () => {
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

  it("gets a line in an update that takes longer than the timeout of a line", async () => {
    const engine = await startEngine();
    onTestFinished(() => engine.close());
    const log = new EngineLog(`127.0.0.1:${engine.port}`);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());

    log.write(urn, "A line.", "info");
    await log.flush();

    expect(engine.lines).toMatchObject([{ line: "A line." }]);
  });

  it("can be flushed when the engine is gone", async () => {
    const engine = await startEngine();
    const log = new EngineLog(`127.0.0.1:${engine.port}`);
    engine.close();

    log.write(urn, "A line.", "info");

    await expect(log.flush()).resolves.toBeUndefined();
  });
});

describe("A webhook of the plugin", () => {
  it("has an id with its database and a wrapped secret when created, read and updated", async () => {
    const { plugin, service, create } = await startConfigured();

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

  it("is returned by a creation although the engine's log never responds", async () => {
    const { baseUrl, apiKey } = await startService();
    const log = { write: () => undefined, flush: () => new Promise(() => undefined) };
    const plugin = await startPlugin({ baseUrl, apiKey }, log as unknown as EngineLog);

    expect(await plugin.create(inputs)).toMatchObject({ id: "base_abc123/1" });
  });

  it("keeps the arguments of the last update in a refresh", async () => {
    const { plugin, create } = await startConfigured();
    const { id, state } = await create();
    const request = new messages.ReadRequest().setUrn(urn).setId(id);
    request.setProperties(struct(state)).setInputs(struct(inputs));

    const response = await plugin.call<messages.ReadResponse>("read", request);

    expect(response.getInputs()?.toJavaScript()).toEqual(inputs);
  });

  it("is checked without a request", async () => {
    const { plugin, service } = await startConfigured();

    const { inputs: checked, failures } = await plugin.check({ ...inputs, tableId: 7 });

    expect(checked).toEqual({ ...inputs, tableId: 7 });
    expect(failures).toEqual([expect.stringMatching(/^tableId: /)]);
    expect(service.requests).toEqual([]);
  });

  it("is not created in a preview", async () => {
    const { plugin, service } = await startConfigured();
    const request = new messages.CreateRequest().setProperties(struct(inputs)).setPreview(true);

    const response = await plugin.call<messages.CreateResponse>("create", request.setUrn(urn));

    expect(response.getProperties()?.toJavaScript()).toEqual(inputs);
    expect(service.requests).toEqual([]);
  });

  it("is stored with its id when it has no secret and cannot be deleted", async () => {
    const { plugin, service } = await startConfigured();
    service.inject({ on: "POST", fault: withFields({ secret: "" }) });
    service.inject({ on: "DELETE", fault: { kind: "respond", statusCode: 403 } });

    const error = await errorOf(plugin.create(inputs));

    const partial = partialCreationOf(error);
    const webhookId = String(service.webhooks[0]?.id);
    const { baseUrl } = service;
    expect(partial?.getId()).toBe(`base_abc123/${webhookId}`);
    expect(partial?.getProperties()?.toJavaScript()).toEqual({ ...inputs, baseUrl, webhookId });
    expect(error).toMatchObject({ code: status.UNKNOWN, details: partial?.getReasonsList()[0] });
  });

  it("shows drift as a difference of outputs only if Pulumi passes the old inputs", async () => {
    const { plugin, create } = await startConfigured();
    const { id, state } = await create();
    const drifted = { ...state, url: otherUrl };

    const withOldInputs = await plugin.diff(id, drifted, inputs, inputs);
    const withoutOldInputs = await plugin.diff(id, drifted, inputs);

    expect(withOldInputs.detaileddiffMap).toMatchObject([["url", { inputdiff: false }]]);
    expect(withoutOldInputs.detaileddiffMap).toMatchObject([["url", { inputdiff: true }]]);
  });

  it("has no difference in a property that ignoreChanges names", async () => {
    const { plugin, service } = await startConfigured();
    const { baseUrl } = service;
    const olds = struct(someState({ url: otherUrl, baseUrl }));
    const request = new messages.DiffRequest().setOlds(olds).setNews(struct(inputs));
    request.setUrn(urn).setId("base_abc123/17").setIgnorechangesList(["url"]);

    const response = await plugin.call<messages.DiffResponse>("diff", request);

    expect(response.getReplacesList()).toEqual([]);
  });

  it("is read as the service has it, with a warning about its drift", async () => {
    const { plugin, service, create } = await startConfigured({ listing: "true" });
    const { id, state } = await create();
    service.updateWebhook(1, { url: otherUrl });

    const { props } = await plugin.read(id, state);

    expect(props).toMatchObject({ url: otherUrl });
    // After the last response Pulumi may end the plugin, so the warning comes before the response.
    expect(plugin.lines).toMatchObject([{ urn, severity: WARNING }]);
  });

  it("is read without an id when it is gone", async () => {
    const { plugin, service, create } = await startConfigured({ listing: "true" });
    const { id, state } = await create();
    service.removeWebhook(1);

    expect(await plugin.read(id, state)).toEqual({ id: "", props: {} });
  });
});

describe("customTimeouts", () => {
  it("end a creation and a deletion that a 429 asks to wait", async () => {
    const { plugin, service, create } = await startConfigured({ retrySeconds: "600" });
    const { id, state } = await create();
    const headers = { "retry-after": "30" };
    service.inject({ fault: { kind: "respond", statusCode: 429, headers } });
    const timeoutSeconds = 0.5;

    const errors = await Promise.all([
      errorOf(plugin.create(inputs, timeoutSeconds)),
      errorOf(plugin.delete(id, state, timeoutSeconds)),
    ]);

    expect(errors.map(kindOf)).toEqual(["notCreated", "notDeleted"]);
    const methods = service.requests.map(({ method }) => method).toSorted();
    expect(methods).toEqual(["DELETE", "POST", "POST"]);
    expect(service.webhooks).toHaveLength(1);
  });

  it("end a creation in the queue, and never the deletion of a webhook without a secret", async () => {
    const { plugin, service } = await startConfigured({ maxConcurrentRequests: "1" });
    service.inject({ on: "POST", fault: withFields({ secret: undefined }) });
    service.inject({ on: "DELETE", fault: { kind: "delay", ms: 800 } });
    const deleting = service.nextRequest({ on: "DELETE", stage: "received" });
    const undone = errorOf(plugin.create(inputs, 0.7));
    await deleting;

    const queued = await errorOf(plugin.create(inputs, 0.1));

    expect([kindOf(queued), kindOf(await undone)]).toEqual(["notCreated", "undone"]);
    expect(service.requests.map(({ method }) => method)).toEqual(["POST", "DELETE"]);
    expect(service.webhooks).toEqual([]);
  });
});

describe("An import by the plugin", () => {
  const id = "base_abc123/1";
  const importedInputs = { ...inputs, url: { ...secretMark, value: inputs.url } };

  async function startWithWebhook() {
    const { plugin, service } = await startConfigured({ listing: "true" });
    const { databaseId, ...body } = inputs;
    await createWebhook(service, { databaseId: String(databaseId), body });
    const { secret = "" } = service.webhooks[0] ?? {};
    vi.stubEnv("DBWEBHOOKS_IMPORT_SECRET", secret);
    const { baseUrl } = service;
    const outputs = { baseUrl, webhookId: "1", secret: { ...secretMark, value: secret } };
    return { plugin, props: { ...importedInputs, ...outputs } };
  }

  it("returns the url and the secret wrapped", async () => {
    const { plugin, props } = await startWithWebhook();

    expect(await plugin.import(id)).toEqual({ id, inputs: importedInputs, props });
  });

  it("is also what Webhook.get does, which passes the properties that the program knows", async () => {
    const { plugin, props } = await startWithWebhook();

    const read = await plugin.read(id, { databaseId: inputs.databaseId });

    expect(read.props).toEqual(props);
  });

  it("suggests adopt for a webhook that is not listed, unlike Webhook.get", async () => {
    const { plugin } = await startWithWebhook();

    const importError = await errorOf(plugin.import("base_abc123/2"));
    const getError = await errorOf(plugin.read("base_abc123/2", {}));

    expect([importError, getError].map(kindOf)).toEqual(["unchanged", "unchanged"]);
    expect(importError.message).toContain(" adopt ");
    expect(getError.message).not.toContain(" adopt ");
  });
});
