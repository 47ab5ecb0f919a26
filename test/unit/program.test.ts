import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { version } from "../../package.json";
import * as dynamic from "../../src/index.ts";
import * as native from "../../src/native.ts";
import { secret, secretMark } from "../helpers/builders.ts";

const args: dynamic.WebhookArgs = {
  databaseId: "base_abc123",
  url: "https://example.com/hooks/orders",
  events: ["record.created"],
};

/** What the state holds besides the arguments. */
const stored = {
  secret,
  baseUrl: "https://tables.example.com",
  webhookId: "42",
  tableId: "tbl_of_the_state",
};

interface RegisterRequest {
  getVersion(): string;
  getAdditionalsecretoutputsList(): string[];
}

let registered: pulumi.runtime.MockResourceArgs[];
/** The requests to Pulumi's engine, which hold more than mocks receive. */
let requests: () => RegisterRequest[];

beforeEach(async () => {
  registered = [];
  await pulumi.runtime.setMocks({
    newResource: (resource) => {
      registered.push(resource);
      return { id: "42", state: { ...args, ...resource.inputs, ...stored } };
    },
    call: () => ({}),
  });
  const monitor = pulumi.runtime.getMonitor() as unknown as {
    registerResource(request: RegisterRequest, ...rest: unknown[]): unknown;
  };
  const register = vi.spyOn(monitor, "registerResource");
  requests = () => register.mock.calls.map(([request]) => request);
});

function resolved<Value>(output: pulumi.Output<Value>): Promise<Value> {
  return new Promise((resolve) => output.apply(resolve));
}

const text = 'exports.handler = () => require("pulumi-dbwebhooks/provider")';

describe.each([
  ["the main entry", dynamic, "pulumi-nodejs:dynamic/dbwebhooks:Webhook", { __provider: text }],
  ["./native", native, "dbwebhooks:index:Webhook", {}],
])("A Webhook of %s", (_, { Webhook, Provider }, type, own) => {
  it("is registered with its arguments as they are, under the type of its states", async () => {
    const all = Object.freeze({ ...args, allowUnknownEvents: true, allowInsecureUrl: false });
    const later = { tableId: Promise.resolve("tbl_orders"), events: pulumi.output(args.events) };

    await resolved(new Webhook("orders", { ...all, ...later }).id);

    const [{ type: registeredType, name, inputs } = {}] = registered;
    expect([registeredType, name]).toEqual([type, "orders"]);
    expect(inputs).toStrictEqual({ ...all, ...own, tableId: "tbl_orders" });
  });

  it("leaves the report of missing arguments to the preview", async () => {
    await resolved(new Webhook("orders", undefined as never).id);

    expect(registered[0]?.inputs).toStrictEqual(own);
  });

  it("registers the webhook to adopt as a secret", async () => {
    const adopt = { id: pulumi.output(17), secret };

    await resolved(new Webhook("orders", { ...args, adopt }).id);

    expect(registered[0]?.inputs.adopt).toMatchObject({ ...secretMark, value: { id: 17, secret } });
  });

  it("has outputs that resolve to the values in the state, also for omitted arguments", async () => {
    const webhook = new Webhook("orders", args);
    const { id, databaseId, url, events, tableId, baseUrl } = webhook;
    const { webhookId = pulumi.output("42") } = webhook as Partial<native.Webhook>;
    const outputs = {
      databaseId,
      url,
      events,
      tableId,
      baseUrl,
      webhookId,
      secret: webhook.secret,
    };

    expect(await resolved(pulumi.output(outputs))).toEqual({ ...args, ...stored });
    expect(await resolved(id)).toBe("42");
  });

  it.each<[pulumi.CustomResourceOptions | undefined, string[]]>([
    [undefined, ["secret"]],
    [Object.freeze({ protect: true, additionalSecretOutputs: [] }), ["secret"]],
    [{ additionalSecretOutputs: ["url"] }, ["secret", "url"]],
  ])("has its secret encrypted with the options %j", async (opts, expected) => {
    await resolved(new Webhook("orders", args, opts).id);

    expect(requests()[0]?.getAdditionalsecretoutputsList().sort()).toEqual(expected);
  });

  it("is an instance according to isInstance", async () => {
    const webhook = new Webhook("known", args);
    await resolved(webhook.urn);

    expect(Webhook.isInstance(webhook)).toBe(true);
  });

  it("is told by isInstance from a provider and from values that are no resource", async () => {
    const provider = new Provider("account");
    await resolved(provider.urn);

    for (const other of [provider, {}, null, undefined]) {
      expect(Webhook.isInstance(other)).toBe(false);
    }
  });
});

describe("A Webhook of the main entry", () => {
  it.each<[string, () => unknown]>([
    ["the option import", () => new dynamic.Webhook("orders", args, { import: "17" })],
    ["the option id", () => new dynamic.Webhook("orders", args, { id: "17" })],
    ["get", () => dynamic.Webhook.get("orders", "base_abc123/17", {})],
  ])("refuses %s, and names the other entry and adopt", (_, declare) => {
    expect(declare).toThrow(pulumi.RunError);
    expect(declare).toThrow(/^Webhook orders: .*"pulumi-dbwebhooks\/native".* adopt\b/);
    expect(registered).toEqual([]);
  });

  it("keeps the text of its provider, whatever its arguments are", async () => {
    const other = { ...args, __provider: "exports = 1" };

    await resolved(new dynamic.Webhook("orders", other).id);

    expect(registered[0]?.inputs.__provider).toBe(text);
  });
});

describe("A Webhook of ./native", () => {
  it("requests the plugin of this version, and get and import resolve its outputs too", async () => {
    const id = "base_abc123/42";
    const get = native.Webhook.get("another", id);
    const imported = new native.Webhook("imported", args, { import: id });

    const found = [get.secret, get.webhookId, get.url, imported.secret];

    expect(await resolved(pulumi.output(found))).toEqual([secret, "42", args.url, secret]);
    expect(requests().map((request) => request.getVersion())).toEqual([version]);
  });
});

const settings: dynamic.ProviderArgs = {
  baseUrl: "https://eu.example.com",
  formerBaseUrls: ["https://old.example.com", Promise.resolve("https://older.example.com")],
  apiKey: "key-token",
  timeoutSeconds: 2.5,
  listing: pulumi.output(true),
  retrySeconds: undefined,
};

/** The settings as the engine receives them. */
const inputsWith = (prefix: string) =>
  Object.fromEntries(
    Object.entries({
      baseUrl: settings.baseUrl,
      formerBaseUrls: '["https://old.example.com","https://older.example.com"]',
      apiKey: expect.objectContaining({ ...secretMark, value: "key-token" }),
      timeoutSeconds: "2.5",
      listing: "true",
    }).map(([name, value]) => [prefix + name, value]),
  );

describe("A Provider", () => {
  it("of the main entry belongs to Pulumi's dynamic package, with text values and a secret key", async () => {
    await resolved(new dynamic.Provider("eu", settings).urn);

    const [{ type, inputs } = {}] = registered;
    expect(type).toBe("pulumi:providers:pulumi-nodejs");
    expect(inputs).toEqual({
      ...inputsWith("dbwebhooks:"),
      "dbwebhooks:isExplicit": "true",
    });
  });

  it("of ./native belongs to the plugin of this version, with text values and a secret key", async () => {
    await resolved(new native.Provider("eu", settings).urn);

    const [{ type, inputs } = {}] = registered;
    expect(type).toBe("pulumi:providers:dbwebhooks");
    expect(inputs).toEqual(inputsWith(""));
    expect(requests().map((request) => request.getVersion())).toEqual([version]);
  });

  it.each([
    ["the main entry", dynamic.Provider],
    ["./native", native.Provider],
  ])("of %s refuses all unknown arguments at once, without their values", (_, Provider) => {
    const create = () => new Provider("eu", { apikey: "key-token", timeout: 5 } as object);

    expect(create).toThrow(pulumi.RunError);
    expect(create).toThrow(/^Provider eu: apikey: .*\bapiKey\b.*; timeout: /);
    expect(create).not.toThrow("key-token");
  });

  it.each([
    ["the main entry", dynamic.Provider],
    ["./native", native.Provider],
  ])("of %s refuses the names of default providers, and only those", async (_, Provider) => {
    const create = (name: string) => () => new Provider(name, settings);

    for (const name of ["default", "default_1_0_0", "default_0_1_0_alpha"]) {
      expect(create(name), name).toThrow(pulumi.RunError);
    }
    await Promise.all(["defaults", "default_eu"].map((name) => resolved(create(name)().urn)));
    expect(registered.map(({ name }) => name)).toEqual(["defaults", "default_eu"]);
  });
});

describe("A program of the main entry", () => {
  const key = { "dbwebhooks:apiKey": "k" };
  const wrong = { ...key, "dbwebhooks:timeoutSecond": "5", "other:apiKey": "k" };
  const variables = { DBWEBHOOKS_BASEURL: "token", DBWEBHOOKS_IMPORT_SECRET: "s", OTHER_URL: "u" };
  const misspelt = [
    /:timeoutSecond: .*timeoutSeconds/,
    /DBWEBHOOKS_BASEURL: .*_BASE_URL/,
    /:apiKey /,
  ];

  it.each<[string, string[], object, object, RegExp[]]>([
    ["of unknown names and of an API key in plain text", [], wrong, variables, misspelt],
    ["of nothing when the key is secret", ["dbwebhooks:apiKey"], key, {}, []],
    ["of nothing when there is no key", [], { "dbwebhooks:listing": "true" }, {}, []],
  ])("warns once in a run %s", async (_case, secretKeys, config, environment, expected) => {
    const warn = vi.spyOn(pulumi.log, "warn").mockReset().mockResolvedValue();
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const [name, value] of Object.entries(environment)) {
      vi.stubEnv(name, value);
    }
    // The module remembers the runs that it has warned: a new copy stands for a new run.
    vi.resetModules();
    pulumi.runtime.setAllConfig({ ...config }, secretKeys);
    const { Webhook } = await import("../../src/sdk/dynamic/webhook.ts");

    await Promise.all(["one", "two"].map((name) => resolved(new Webhook(name, args).id)));

    const lines = warn.mock.calls.map(([line]) => line);
    expect(lines).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
    expect(lines.join()).not.toContain("token");
  });
});
