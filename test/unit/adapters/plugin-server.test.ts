import { once } from "node:events";
import http2 from "node:http2";
import { connect as connectSocket } from "node:net";
import { status } from "@grpc/grpc-js";
import { LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb.js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { version } from "../../../package.json";
import { EngineLog } from "../../../src/adapters/plugin/engine-log.ts";
import { PluginServer } from "../../../src/adapters/plugin/server.ts";
import { providerText } from "../../../src/common/provider-text.ts";
import { EngineMonitor } from "../../../src/provider/command/engine-monitor.ts";
import { startEngine } from "../../helpers/adapters/engine-stand-in.ts";
import { connect, operationsOf, struct } from "../../helpers/adapters/provider-calls.ts";
import { someArgs, wrapped } from "../../helpers/builders.ts";
import { errorOf, kindOf } from "../../helpers/errors.ts";
import { hold, times } from "../../helpers/faults/faults.mts";
import { startRawServer } from "../../helpers/http-server.ts";
import { createWebhook, startService } from "../../helpers/local-service.ts";
import { methodsOf, recordRequests } from "../../helpers/recorder.mts";

// The translation between Pulumi's gRPC calls and WebhookProvider, which has its own unit tests.

const type = "dbwebhooks:index:Webhook";
/** A webhook that is a child of a component, which is a child of another one. */
const urn = `urn:pulumi:test::webhooks::my:index:Company$my:index:Team$${type}::orders`;
const inputs = someArgs();
/** The text that both providers store with every webhook. */
const text = { __provider: providerText };
const otherUrl = "https://example.com/other";
const { INFO, WARNING } = LogSeverity;

/** Starts a stand-in for Pulumi's engine, and the log that sends lines to it. */
async function startLog() {
  const engine = await startEngine();
  onTestFinished(() => engine.close());
  return { engine, log: new EngineLog(`127.0.0.1:${engine.port}`) };
}

/** Starts the plugin's server in this process. */
async function startPlugin({ flush }: { flush?: () => Promise<void> } = {}) {
  const { engine, log } = await startLog();
  if (flush !== undefined) {
    log.flush = flush;
  }
  const server = new PluginServer(new EngineMonitor(undefined, () => {}), log);
  const port = await server.listen();
  const { call, close } = connect(String(port));
  onTestFinished(close);
  const configure = (settings: Record<string, unknown>, name = "eu") =>
    call("configure", new messages.ConfigureRequest().setName(name).setArgs(struct(settings)));
  return { ...operationsOf(call, urn), call, configure, port, lines: engine.lines };
}

/** Starts a service and a plugin that is configured to use it. */
async function startConfigured(changes: Record<string, string> = {}, flush?: () => Promise<void>) {
  const service = await startService();
  const { requests } = recordRequests(service);
  const { baseUrl, apiKey } = service;
  const settings = { baseUrl, apiKey, retrySeconds: "0", ...changes };
  const plugin = await startPlugin(flush && { flush });
  await plugin.configure(settings);
  /** Creates a webhook. Pulumi passes its state to the plugin with the secret unwrapped. */
  const create = async () => {
    const { id, outs } = await plugin.create(inputs);
    return { id, outs, state: { ...outs, secret: service.webhooks[0]?.secret } };
  };
  return { plugin, service, requests, settings, create };
}

/** Sends the prefix of a message with this length and nothing else, and returns the status. */
async function statusAfterPrefix(port: number, length: number): Promise<number> {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  onTestFinished(() => session.destroy());
  const path = "/pulumirpc.ResourceProvider/Check";
  const request = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
  });
  // A byte for the compression, and the length.
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(length, 1);
  request.resume().end(prefix);
  const [headers] = await Promise.race([once(request, "trailers"), once(request, "response")]);
  return Number(headers["grpc-status"]);
}

// A call that a new SDK adds can change what an older one means, as `exists` did with `read`:
// decide what the plugin does with it, and add it here.
it("Pulumi's SDK has the calls that the plugin handles, and only these others", () => {
  const handled =
    "getPluginInfo getSchema checkConfig configure check diff create read delete cancel";
  const unimplemented =
    "handshake attach parameterize diffConfig invoke call list update construct getMapping getMappings";

  expect(Object.keys(ResourceProviderService).toSorted()).toEqual(
    `${handled} ${unimplemented}`.split(" ").toSorted(),
  );
});

function expectRefusal(error: Error): void {
  expect(error.message).toMatch(/ Nothing was changed\. \[unchanged\]$/);
}

describe("The plugin", () => {
  it("refuses a resource of another type, and names its own", async () => {
    const { plugin } = await startConfigured();
    const { check } = operationsOf(plugin.call, urn.replace(type, "dbwebhooks:index:Hook"));

    const error = await errorOf(check(inputs));

    expectRefusal(error);
    expect(error.message).toContain(type);
  });

  it("refuses a resource before it is configured", async () => {
    const plugin = await startPlugin();

    const error = await errorOf(plugin.create(inputs));

    expectRefusal(error);
  });

  it.each(["base_abc123/17", "orders"])("sends nothing about the id %s", async (id) => {
    const { plugin, service, requests } = await startConfigured({ listing: "true" });
    const state = { ...inputs, ...text, baseUrl: service.baseUrl };

    const refreshed = await plugin.read(id, state, inputs);
    const errors = await Promise.all([
      errorOf(plugin.import(id)),
      errorOf(plugin.diff(id, state, inputs)),
      errorOf(plugin.delete(id, state)),
    ]);

    expect(refreshed).toMatchObject({ id, props: state });
    expect(errors.map(kindOf)).toEqual(["unchanged", "unchanged", "notDeleted"]);
    expect(requests).toEqual([]);
  });

  it("deletes a webhook under the type of the dynamic provider: a move renames pending deletions", async () => {
    const { plugin, service } = await startConfigured();
    const { databaseId, ...body } = inputs;
    const { json } = await createWebhook(service, { databaseId: String(databaseId), body });
    const state = { ...inputs, ...text, baseUrl: service.baseUrl, secret: json.secret };
    const renamed = urn.replace(type, "pulumi-nodejs:dynamic/dbwebhooks:Webhook");

    await operationsOf(plugin.call, renamed).delete(String(json.id), state);

    expect(service.webhooks).toEqual([]);
  });

  it("accepts one configuration, and keeps it", async () => {
    const { plugin, service, settings, create } = await startConfigured();

    const errors = [
      await errorOf(plugin.configure(settings)),
      await errorOf(plugin.configure({ ...settings, baseUrl: "http://127.0.0.1:1" })),
    ];
    await create();

    expect(errors.map(kindOf)).toEqual(["unchanged", "unchanged"]);
    expect(service.webhooks).toHaveLength(1);
  });

  it("listens on 127.0.0.1 alone", async () => {
    const { port } = await startPlugin();

    const connection = once(connectSocket(port, "127.0.0.2"), "connect");

    await expect(connection).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("has the version of the package, also in its schema", async () => {
    const { call } = await startPlugin();

    const info = await call<PluginInfo>("getPluginInfo", new Empty());
    const request = new messages.GetSchemaRequest();
    const schema = await call<messages.GetSchemaResponse>("getSchema", request);

    expect(info.getVersion()).toBe(version);
    expect(JSON.parse(schema.getSchema())).toMatchObject({ name: "dbwebhooks", version });
  });

  it("refuses an invalid argument of an explicit provider, and no setting of the default one", async () => {
    const { call } = await startPlugin();
    const failuresOf = async (name: string) => {
      const request = new messages.CheckRequest().setName(name);
      request.setNews(struct({ baseUrl: "https://a.example", apiKey: "a b" }));
      const response = await call<messages.CheckResponse>("checkConfig", request);
      return response.getFailuresList().map((failure) => failure.getReason());
    };

    expect(await failuresOf("default_0_1_0")).toEqual([]);
    expect(await failuresOf("eu")).toEqual([expect.stringMatching(/^apiKey: /)]);
  });

  it("refuses a configuration without the name of the provider, and takes no key for it", async () => {
    const plugin = await startPlugin();

    const error = await errorOf(plugin.configure({ baseUrl: "https://a.example" }, ""));

    // Current versions of Pulumi send none for "pulumi do" and a stateless operation.
    expectRefusal(error);
    expectRefusal(await errorOf(plugin.create(inputs)));
  });

  it("accepts no configuration after it was asked for its schema: another user of the machine could ask", async () => {
    const plugin = await startPlugin();
    await plugin.call("getSchema", new messages.GetSchemaRequest());

    const error = await errorOf(plugin.configure({ baseUrl: "http://127.0.0.1:1" }));

    expectRefusal(error);
    expectRefusal(await errorOf(plugin.create(inputs)));
  });

  it("keeps its configuration when it is asked for its schema later", async () => {
    const { plugin, service } = await startConfigured();

    await plugin.call("getSchema", new messages.GetSchemaRequest());
    await plugin.create(inputs);

    expect(service.webhooks).toHaveLength(1);
  });

  it("refuses a message of more than 64 MiB when it begins", async () => {
    const { port } = await startPlugin();
    const limit = 64 * 1024 * 1024;

    expect(await statusAfterPrefix(port, limit + 1)).toBe(status.RESOURCE_EXHAUSTED);
    expect(await statusAfterPrefix(port, limit)).not.toBe(status.RESOURCE_EXHAUSTED);
  });

  it("sends no further request after Cancel", async () => {
    const { plugin, requests, create } = await startConfigured();
    const { state } = await create();

    await plugin.call("cancel", new Empty());

    expect(kindOf(await errorOf(plugin.create(inputs)))).toBe("notCreated");
    expect(kindOf(await errorOf(plugin.delete("99", state)))).toBe("notDeleted");
    expect(requests).toHaveLength(1);
  });
});

describe("The engine's log", () => {
  it("ignores the proxy variables that gRPC reads, which have lower-case names", async () => {
    await using proxy = await startRawServer((socket) => socket.destroy());
    for (const name of ["http_proxy", "https_proxy", "grpc_proxy"]) {
      vi.stubEnv(name, proxy.url);
    }
    for (const name of ["no_proxy", "no_grpc_proxy"]) {
      vi.stubEnv(name, undefined);
    }
    const { engine, log } = await startLog();

    log.write(urn, "A line.", "info");
    await log.flush();

    expect(engine.lines).toEqual([{ urn, line: "A line.", severity: INFO }]);
  });

  it("gets a line that is written a minute after the start, because its timeout begins with the line", async () => {
    const { engine, log } = await startLog();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
    onTestFinished(() => void vi.useRealTimers());

    log.write(urn, "A line.", "info");
    await log.flush();

    expect(engine.lines).toMatchObject([{ line: "A line." }]);
  });

  it("gets each line with the urn of its own resource while operations overlap", async () => {
    const { plugin, service } = await startConfigured({ listing: "false" });
    const other = operationsOf(plugin.call, `${urn}2`);
    const state = { ...inputs, baseUrl: service.baseUrl };
    const { holdRequest, received, release } = hold();
    service.use(times(1, holdRequest));
    const first = plugin.delete("7", state);
    await received;
    await other.delete("8", state);

    release();
    await first;

    // The service has neither of the webhooks, and each deletion warns of that.
    expect(plugin.lines).toEqual([
      { urn: `${urn}2`, severity: WARNING, line: expect.stringContaining("8") },
      { urn, severity: WARNING, line: expect.stringContaining("7") },
    ]);
  });

  it("is flushed before Pulumi gets the error of a failing operation, whose lines it holds", async () => {
    const flushed = Promise.withResolvers<void>();
    const flush = vi.fn(() => flushed.promise);
    const { plugin } = await startConfigured({}, flush);
    const hasFailed = vi.fn();
    const error = errorOf(plugin.delete("orders", {})).finally(hasFailed);
    await expect.poll(() => flush.mock.calls).toHaveLength(1);
    const failuresBefore = hasFailed.mock.calls.length;

    flushed.resolve();

    expect(kindOf(await error)).toBe("notDeleted");
    expect(failuresBefore).toBe(0);
  });

  it("can be flushed when the engine is gone", async () => {
    const { engine, log } = await startLog();
    engine.close();

    log.write(urn, "A line.", "info");

    await expect(log.flush()).resolves.toBeUndefined();
  });
});

describe("A webhook of the plugin", () => {
  it("has its number as id, the text of the dynamic provider and a wrapped secret when created and read", async () => {
    const { plugin, service, requests, create } = await startConfigured();

    const { id, outs, state } = await create();
    const read = await plugin.read(id, state, inputs);

    const { id: number, secret } = service.webhooks[0] ?? {};
    expect(id).toBe(String(number));
    expect(outs).toEqual({
      ...inputs,
      ...text,
      baseUrl: service.baseUrl,
      secret: wrapped(secret),
    });
    expect(read).toEqual({ id, props: outs, inputs });
    expect(requests).toHaveLength(1);
  });

  it("is returned from a check unchanged, with a failure for each invalid argument and without a request", async () => {
    const { plugin, requests } = await startConfigured();

    const { inputs: checked, failures } = await plugin.check({ ...inputs, tableId: true });

    expect(checked).toEqual({ ...inputs, ...text, tableId: true });
    expect(failures).toEqual([expect.stringMatching(/^tableId: /)]);
    expect(requests).toEqual([]);
  });

  it("is returned to Pulumi without waiting for the log, because Pulumi then stores the secret", async () => {
    const { plugin, service } = await startConfigured({}, () => new Promise(() => {}));

    const { id } = await plugin.create(inputs);

    expect(id).toBe(String(service.webhooks[0]?.id));
  });

  it("shows drift as a difference of outputs if old inputs are passed, and none that ignoreChanges names", async () => {
    const { plugin, service } = await startConfigured();
    const id = "99";
    const drifted = { ...inputs, url: otherUrl, baseUrl: service.baseUrl, secret: "secret-1" };

    const withOldInputs = await plugin.diff(id, drifted, inputs, { oldInputs: inputs });
    const withoutOldInputs = await plugin.diff(id, drifted, inputs);
    const withEmptyOldInputs = await plugin.diff(id, drifted, inputs, { oldInputs: {} });
    const ignoring = await plugin.diff(id, drifted, inputs, { ignoreChanges: ["url"] });

    expect(withOldInputs.detaileddiffMap).toMatchObject([["url", { inputdiff: false }]]);
    expect(withoutOldInputs.detaileddiffMap).toMatchObject([["url", { inputdiff: true }]]);
    expect(withEmptyOldInputs).toEqual(withoutOldInputs);
    expect(ignoring.replacesList).toEqual([]);
  });

  it("is read as the service has it, with a warning", async () => {
    const { plugin, create } = await startConfigured({ listing: "true" });
    const { id, state } = await create();

    const read = await plugin.read(id, { ...state, url: otherUrl }, inputs);

    expect(read).toMatchObject({ id, props: { url: inputs.url }, inputs });
    // After the last response Pulumi may end the plugin, so the warning comes before the response.
    expect(plugin.lines).toMatchObject([{ urn, severity: WARNING }]);
  });

  it("is read, and not imported, when its inputs alone have the text of the dynamic provider", async () => {
    const { plugin, service } = await startConfigured();
    const state = { ...inputs, baseUrl: service.baseUrl, secret: "secret-1" };

    const read = await plugin.read("99", state, { ...inputs, ...text });

    expect(read).toMatchObject({ id: "99", props: { url: inputs.url } });
  });

  it("keeps the text of the dynamic provider in its inputs when read, for a move to that provider", async () => {
    const { plugin, service } = await startConfigured();
    const state = { ...inputs, ...text, baseUrl: service.baseUrl, secret: "secret-1" };

    const read = await plugin.read("99", state, { ...inputs, ...text });

    expect(read.inputs).toEqual({ ...inputs, ...text });
  });

  it("is not deleted with another resource than the one that has it, which the URN tells apart", async () => {
    const { plugin, service, requests } = await startConfigured();
    const other = operationsOf(plugin.call, `${urn}2`);
    const id = "99";
    const state = { ...inputs, baseUrl: service.baseUrl, secret: "secret-1" };
    await other.diff(id, state, inputs);

    const error = await errorOf(plugin.delete(id, state));
    const requestsBefore = [...requests];
    await other.delete(id, state);

    expect(kindOf(error)).toBe("notDeleted");
    expect(requestsBefore).toEqual([]);
    // The service does not have it, so the list of its database follows.
    expect(methodsOf(requests)).toEqual(["DELETE", "GET"]);
  });

  it("is read without an id when it is gone, with a warning", async () => {
    const { plugin, service, create } = await startConfigured({ listing: "true" });
    const { id, state } = await create();
    service.webhooks = [];

    const result = await plugin.read(id, state, inputs);

    expect(result).toEqual({ id: "", props: {}, inputs: {} });
    expect(plugin.lines).toMatchObject([{ urn, severity: WARNING }]);
  });
});

describe("An import by the plugin", () => {
  async function startDescribed() {
    const configured = await startConfigured({ listing: "true" });
    const described = { 2: { ...inputs, secret: "secret-1" } };
    vi.stubEnv("DBWEBHOOKS_IMPORT", JSON.stringify(described));
    return configured;
  }

  it.each([
    ["no properties, as older versions of Pulumi do", undefined],
    ["an empty struct, as newer ones do", {}],
  ])("returns the url and the secret wrapped for a read that passes %s", async (_case, given) => {
    const { plugin, service } = await startDescribed();
    const imported = { ...inputs, ...text, url: wrapped(inputs.url) };

    expect(await plugin.read("2", given)).toEqual({
      id: "2",
      inputs: imported,
      props: { ...imported, baseUrl: service.baseUrl, secret: wrapped("secret-1") },
    });
  });

  it.each<[string, props: object | undefined, readInputs: object]>([
    ["some properties", { ...inputs, secret: "s" }, {}],
    ["arguments and no state", undefined, inputs],
    ['the same arguments as both, as "get" does', inputs, inputs],
  ])("is refused without a request for a read that passes %s", async (_case, props, readInputs) => {
    const { plugin, requests } = await startDescribed();

    const error = await errorOf(plugin.read("2", props as never, { ...readInputs }));

    expectRefusal(error);
    expect(error.message).toContain("StackReference");
    expect(requests).toEqual([]);
  });

  it("is a read of a resource whose name only holds what marks a question", async () => {
    const { plugin } = await startDescribed();
    const { read } = operationsOf(plugin.call, urn.replace(/[^:]+$/, "my__exists__1"));

    expect(await read("2", {})).toMatchObject({ id: "2" });
  });

  it("is no read that asks whether a webhook exists: it is refused, and a deletion is sent", async () => {
    const { plugin, service, requests } = await startDescribed();
    const question = operationsOf(plugin.call, urn.replace(/[^:]+$/, "__exists__1"));
    const state = { ...inputs, baseUrl: service.baseUrl, secret: "secret-1" };

    const errors = [await errorOf(question.read("2", {})), await errorOf(question.read("2"))];
    const stored = { ...state, __provider: "a text" };
    const refreshed = await question.read("2", stored).catch(kindOf);
    await plugin.delete("2", state);

    errors.forEach(expectRefusal);
    // A resource can have such a name, too.
    expect(refreshed).not.toBe("unchanged");
    // The lists of the refresh and of the deletion.
    expect(methodsOf(requests)).toEqual(["GET", "DELETE", "GET"]);
  });
});
