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
import { partialCreationOf, withUnwrappedSecret } from "../helpers/adapters/adapters.js";
import { startEngine } from "../helpers/adapters/engine-stand-in.js";
import { connect, operationsOf, struct } from "../helpers/adapters/provider-calls.mjs";
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

describe("The plugin", () => {
  const requests = [
    ["check", new messages.CheckRequest()],
    ["diff", new messages.DiffRequest()],
    ["create", new messages.CreateRequest()],
    ["read", new messages.ReadRequest()],
    ["update", new messages.UpdateRequest()],
    ["delete", new messages.DeleteRequest()],
  ] as const;

  it.each(requests)("refuses a %s of another type, and names its own", async (method, request) => {
    const plugin = await startPlugin();
    request.setUrn("urn:pulumi:test::webhooks::my:index:Team$dbwebhooks:index:Hook::orders");

    const error = await errorOf(plugin.call(method, request));

    expect(error).toMatchObject({ code: 3, message: expect.stringContaining(type) });
  });

  it.each(requests)("refuses a %s before it is configured", async (method, request) => {
    const plugin = await startPlugin();
    request.setUrn(`urn:pulumi:test::webhooks::my:index:Team$${type}::orders`);

    expect(await errorOf(plugin.call(method, request))).toMatchObject({ code: 9 });
  });

  it.each(["42", "base_abc123/orders"])("sends nothing about the id %s", async (id) => {
    const { plugin, service } = await startBoth();

    const errors = await Promise.all([
      errorOf(plugin.import(id)),
      errorOf(plugin.read(id, inputs)),
      errorOf(plugin.diff(id, inputs, inputs)),
      errorOf(plugin.delete(id, inputs)),
    ]);

    const refused = { code: 3, message: expect.stringContaining("DATABASE/NUMBER") };
    expect(errors).toMatchObject([refused, refused, refused, refused]);
    expect(service.requests).toEqual([]);
  });

  it("asks for the database when an import has a number alone", async () => {
    const { plugin } = await startBoth();

    const { message } = await errorOf(plugin.import("42"));

    expect(message).toContain("base_abc123/42");
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

  it("warns about unknown settings of the default provider, and refuses those of another", async () => {
    const { call, engine } = await startPlugin();
    const check = async (name: string) => {
      const request = new messages.CheckRequest().setName(name).setNews(struct({ timeout: "1" }));
      const response = await call<messages.CheckResponse>("checkConfig", request);
      return response.getFailuresList().map((failure) => failure.getReason().split(": ")[0]);
    };

    const failures = [await check("default"), await check("eu")];

    expect(failures).toEqual([[], ["timeout", "dbwebhooks:baseUrl", "dbwebhooks:apiKey"]]);
    expect(engine.lines).toEqual([
      { urn: "", severity: WARNING, line: expect.stringContaining("dbwebhooks:timeout") },
    ]);
  });
});

describe("Requests in flight", () => {
  it("share the connections to the service", async () => {
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

describe("Another base URL of a provider", () => {
  it("warns once of a provider that moved, and once in the configured process of replaced webhooks", async () => {
    const { call, configure, engine } = await startPlugin();
    const old = struct({ baseUrl: "https://a.example", apiKey: "key" });
    const next = { baseUrl: "https://b.example", apiKey: "key" };
    const request = new messages.DiffRequest().setName("eu").setOldInputs(old);
    const compare = async () => {
      const news = request.setNews(struct(next));
      const response = await call<messages.DiffResponse>("diffConfig", news);
      return { replaces: response.getReplacesList(), lines: [...engine.lines] };
    };

    const before = await compare();
    await configure(next);
    const after = await compare();
    const again = await compare();

    const advice = { urn: "", severity: WARNING, line: expect.stringContaining("formerBaseUrls") };
    const warning = { urn: "", severity: WARNING, line: expect.stringMatching(/secrets change/) };
    expect(before).toEqual({ replaces: ["baseUrl"], lines: [advice] });
    expect(after).toEqual({ replaces: ["baseUrl"], lines: [advice, warning] });
    expect(after.lines[1]?.line).not.toContain("formerBaseUrls");
    expect(again).toEqual(after);
  });
});

describe("The engine's log", () => {
  it("is reached without the proxy of lower-case variables, and delays nothing when the engine is gone", async () => {
    await using proxy = await startRawServer((socket) => socket.destroy());
    for (const name of ["http_proxy", "https_proxy", "grpc_proxy"]) {
      vi.stubEnv(name, proxy.url);
    }
    const engine = await startEngine();
    onTestFinished(() => engine.close());
    const log = new EngineLog(`127.0.0.1:${engine.port}`);

    log.write(urn, "A line.", "info");
    await log.flush();
    engine.close();
    log.write(urn, "Another line.", "info");
    await log.flush();

    expect(engine.lines).toEqual([{ urn, line: "A line.", severity: INFO }]);
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

  it("has a detailed difference for each argument that the program changes", async () => {
    const { plugin, create } = await startBoth();
    const { id, state } = await create({ tableId: "tbl_x" });

    const { detaileddiffMap } = await plugin.diff(id, state, { ...inputs, url: otherUrl });

    expect(Object.fromEntries(detaileddiffMap)).toEqual({
      url: { kind: 5, inputdiff: true },
      tableId: { kind: 3, inputdiff: true },
    });
  });

  it("has a difference of outputs where it drifted from the inputs of the last program", async () => {
    const { plugin, create } = await startBoth();
    const { id, state } = await create();

    const { detaileddiffMap } = await plugin.diff(id, { ...state, url: otherUrl }, inputs, inputs);

    expect(Object.fromEntries(detaileddiffMap)).toEqual({ url: { kind: 5, inputdiff: false } });
  });

  it("has no difference in what the program ignores", async () => {
    const { plugin, service } = await startBoth();
    const { baseUrl } = service;
    const olds = struct(someState({ url: "https://drifted.example", baseUrl }));
    const request = new messages.DiffRequest().setOlds(olds).setNews(struct(inputs));
    request.setUrn(urn).setId("base_abc123/17").setIgnorechangesList(["url"]);

    const response = await plugin.call<messages.DiffResponse>("diff", request);

    expect(response.getReplacesList()).toEqual([]);
  });

  it("causes warnings with its URN when it has drifted or is gone", async () => {
    const { plugin, service, create } = await startBoth({ listing: "true" });
    const drifted = await create();
    const lost = await create({ databaseId: "base_other" });
    service.updateWebhook(1, { url: otherUrl });
    service.removeWebhook(2);

    const { props } = await plugin.read(drifted.id, drifted.state);
    const gone = await plugin.read(lost.id, lost.state);

    expect(props).toMatchObject({ url: otherUrl });
    expect(gone).toEqual({ id: "", props: {} });
    await expect
      .poll(() => plugin.engine.lines)
      .toMatchObject([
        { urn, severity: WARNING, line: expect.stringContaining("webhook 1") },
        { urn, severity: WARNING, line: expect.stringContaining("webhook 2") },
      ]);
  });

  it("causes information with its URN when it is adopted", async () => {
    const { plugin, create } = await startBoth();

    await create({ adopt: { id: "3", secret: "whsec_adopted" } });

    await expect
      .poll(() => plugin.engine.lines)
      .toMatchObject([{ urn, severity: INFO, line: expect.stringContaining("webhook 3") }]);
  });
});

describe("customTimeouts", () => {
  const rateLimited: Fault = { kind: "respond", statusCode: 429, headers: { "retry-after": "30" } };
  const silence: Fault = { kind: "neverAnswer", commit: true };

  it.each<[string, Fault, string, string, number]>([
    ["that wait for a rate limit", rateLimited, "notCreated", "notDeleted", 0],
    ["at a silent service", silence, "inDoubt", "notDeleted", 1],
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
      expect(message).toContain("customTimeouts");
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
  const id = "base_abc123/1";
  const wrappedInputs = { ...inputs, url: { ...secretMark, value: inputs.url } };

  async function startWithWebhook() {
    const { plugin, service } = await startBoth({ listing: "true" });
    const { databaseId, ...body } = inputs;
    await createWebhook(service, { databaseId: String(databaseId), body });
    const { secret = "" } = service.webhooks[0] ?? {};
    vi.stubEnv("DBWEBHOOKS_IMPORT_SECRET", secret);
    const secretOutput = { ...secretMark, value: secret };
    const { baseUrl } = service;
    const props = { ...wrappedInputs, baseUrl, webhookId: "1", secret: secretOutput };
    return { plugin, secret, props };
  }

  it("returns the url and the secret wrapped", async () => {
    const { plugin, props } = await startWithWebhook();

    expect(await plugin.import(id)).toEqual({ id, inputs: wrappedInputs, props });
  });

  it("is also the read of a webhook of which Pulumi knows a part of the properties", async () => {
    const { plugin, props } = await startWithWebhook();

    const read = await plugin.read(id, { databaseId: inputs.databaseId });

    expect(read.props).toEqual(props);
  });

  it("of an unknown webhook advises to adopt, and a read does not", async () => {
    const { plugin, secret } = await startWithWebhook();

    const importError = await errorOf(plugin.import("base_abc123/2"));
    const readError = await errorOf(plugin.read("base_abc123/2", {}));

    expect(kindOf(importError)).toBe("unchanged");
    expect(kindOf(readError)).toBe("unchanged");
    expect(importError.message).toContain("adopt");
    expect(readError.message).not.toContain("adopt");
    expect(importError.message + readError.message).not.toContain(secret);
  });
});
