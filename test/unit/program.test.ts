import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it, vi } from "vitest";
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
  ...{ secret, baseUrl: "https://tables.example.com" },
  ...{ webhookId: "42", tableId: "tbl_of_the_state" },
};

interface RegisterRequest {
  getVersion(): string;
  getAdditionalsecretoutputsList(): string[];
}

let registered: pulumi.runtime.MockResourceArgs[];
/** What Pulumi's engine is asked for; mocks are not shown all of it. */
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

  it("leaves it to a preview to say that its arguments are missing", async () => {
    await resolved(new Webhook("orders", undefined as never).id);

    expect(registered[0]?.inputs).toStrictEqual(own);
  });

  it("registers the webhook to adopt as a secret", async () => {
    const adopt = { id: pulumi.output(17), secret };

    await resolved(new Webhook("orders", { ...args, adopt }).id);

    expect(registered[0]?.inputs.adopt).toMatchObject({ ...secretMark, value: { id: 17, secret } });
  });

  it("has outputs that resolve to what the state holds, also what the program leaves out", async () => {
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

  it("is told from all else by isInstance", async () => {
    const resources = [new Webhook("known", args), new Provider("account")];
    await Promise.all(resources.map(({ urn }) => resolved(urn)));

    const areWebhooks = [...resources, {}, null, undefined].map(Webhook.isInstance);

    expect(areWebhooks).toEqual([true, false, false, false, false]);
  });
});

describe("A Webhook of the main entry", () => {
  it.each([{ import: "17" }, { id: "17" }])("refuses the options %j, which cannot work", (opts) => {
    const declare = () => new dynamic.Webhook("orders", args, opts);

    expect(declare).toThrow(pulumi.RunError);
    expect(declare).toThrow(/^Webhook orders: the options import and id cannot work, .* adopt\.$/);
  });

  it("keeps its provider's text, whatever its arguments are", async () => {
    const other = { ...args, __provider: "exports = 1" };

    await resolved(new dynamic.Webhook("orders", other).id);

    expect(registered[0]?.inputs.__provider).toBe(text);
  });
});

describe("A Webhook of ./native", () => {
  it("asks for the plugin of this version, and has its outputs by get and import too", async () => {
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

/** The settings as the engine gets them, by their names. */
const inputsOf = (formerBaseUrls: string, prefix = "") =>
  Object.fromEntries(
    Object.entries({
      baseUrl: settings.baseUrl,
      formerBaseUrls,
      apiKey: expect.objectContaining({ ...secretMark, value: "key-token" }),
      timeoutSeconds: "2.5",
      listing: "true",
    }).map(([name, value]) => [prefix + name, value]),
  );

describe("A Provider", () => {
  it("of the main entry is one of Pulumi's dynamic package, with text and a secret key", async () => {
    await resolved(new dynamic.Provider("eu", settings).urn);

    const [{ type, inputs } = {}] = registered;
    expect(type).toBe("pulumi:providers:pulumi-nodejs");
    expect(inputs).toEqual({
      ...inputsOf("https://old.example.com,https://older.example.com", "dbwebhooks:"),
      "dbwebhooks:isExplicit": "true",
    });
  });

  it("of ./native is one of the plugin of this version, with text and a secret key", async () => {
    await resolved(new native.Provider("eu", settings).urn);

    const [{ type, inputs } = {}] = registered;
    expect(type).toBe("pulumi:providers:dbwebhooks");
    expect(inputs).toEqual(inputsOf('["https://old.example.com","https://older.example.com"]'));
    expect(requests().map((request) => request.getVersion())).toEqual([version]);
  });

  it("of the main entry refuses arguments that do not exist, all at once", () => {
    const create = () => new dynamic.Provider("eu", { apikey: "key-token", timeout: 5 } as object);

    expect(create).toThrow(/^Provider eu: apikey: .*\bapiKey\b.*; timeout: /);
    expect(create).not.toThrow("key-token");
  });
});

describe("The stack's configuration", () => {
  const key = { "dbwebhooks:apiKey": "k" };
  const wrong = { ...key, "dbwebhooks:timeoutSecond": "5", "other:apiKey": "k" };

  it.each<[string, string[], object, RegExp[]]>([
    ["an unknown key, and an API key in plain text", [], wrong, [/:timeoutSecond:/, /:apiKey /]],
    ["nothing when the key is secret", ["dbwebhooks:apiKey"], key, []],
    ["nothing when there is no key", [], { "dbwebhooks:listing": "true" }, []],
  ])("is warned of once in a run: %s", async (_case, secretKeys, config, expected) => {
    const warn = vi.spyOn(pulumi.log, "warn").mockReset().mockResolvedValue();
    // What was warned of is kept for a run, which is a new copy of the module here.
    vi.resetModules();
    pulumi.runtime.setAllConfig({ ...config }, secretKeys);
    const { Webhook } = await import("../../src/sdk/dynamic/webhook.ts");

    await Promise.all(["one", "two"].map((name) => resolved(new Webhook(name, args).id)));

    const lines = warn.mock.calls.map(([line]) => line);
    expect(lines).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });
});
