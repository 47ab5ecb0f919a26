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

/** The outputs that are not arguments, and one for an argument that the program omits. */
const otherOutputs = {
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
      return { id: "42", state: { ...args, ...resource.inputs, ...otherOutputs } };
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

const mainEntry = {
  name: "the main entry",
  entry: dynamic,
  type: "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
  inputsOfEntry: { __provider: 'exports.handler = () => require("pulumi-dbwebhooks/provider")' },
};
const nativeEntry = {
  name: "./native",
  entry: native,
  type: "dbwebhooks:index:Webhook",
  inputsOfEntry: {},
};

describe.each([mainEntry, nativeEntry])("A Webhook of $name", ({ entry, type, inputsOfEntry }) => {
  const { Webhook, Provider } = entry;

  it("is registered with its arguments as they are, under the type of its states", async () => {
    const all = Object.freeze({ ...args, allowUnknownEvents: true, allowInsecureUrl: false });
    const later = { tableId: Promise.resolve("tbl_orders"), events: pulumi.output(args.events) };

    await resolved(new Webhook("orders", { ...all, ...later }).id);

    expect(registered).toMatchObject([{ type, name: "orders" }]);
    expect(registered[0]?.inputs).toStrictEqual({
      ...all,
      ...inputsOfEntry,
      tableId: "tbl_orders",
    });
  });

  it("leaves the report of missing arguments to the preview", async () => {
    await resolved(new Webhook("orders", undefined as never).id);

    expect(registered[0]?.inputs).toStrictEqual(inputsOfEntry);
  });

  it("registers the webhook to adopt as a secret", async () => {
    const adopt = { id: pulumi.output(17), secret };

    await resolved(new Webhook("orders", { ...args, adopt }).id);

    expect(registered[0]?.inputs.adopt).toMatchObject({ ...secretMark, value: { id: 17, secret } });
  });

  it("has outputs that resolve to the values in the state, also for omitted arguments", async () => {
    const webhook = new Webhook("orders", args);
    const { databaseId, url, events, tableId, baseUrl } = webhook;
    const outputs = { databaseId, url, events, tableId, baseUrl, secret: webhook.secret };

    const values = await resolved(pulumi.output(outputs));

    expect({ ...args, ...otherOutputs }).toMatchObject(values);
    expect(await resolved(webhook.id)).toBe("42");
  });

  it.each<[pulumi.CustomResourceOptions | undefined, string[]]>([
    [undefined, ["secret"]],
    [Object.freeze({ additionalSecretOutputs: ["url"] }), ["secret", "url"]],
  ])("has its secret encrypted with the options %j", async (opts, expected) => {
    await resolved(new Webhook("orders", args, opts).id);

    expect(requests()[0]?.getAdditionalsecretoutputsList().sort()).toEqual(expected);
  });

  it("is an instance according to isInstance, unlike a provider and other values", async () => {
    const webhook = new Webhook("known", args);
    const provider = new Provider("account");
    await Promise.all([webhook, provider].map(({ urn }) => resolved(urn)));

    const instances = [webhook, provider, {}, null, undefined].filter(Webhook.isInstance);

    expect(instances).toEqual([webhook]);
  });
});

describe("A Webhook of the main entry", () => {
  it.each<[string, () => unknown]>([
    ["the option import", () => new dynamic.Webhook("orders", args, { import: "17" })],
    ["the option id", () => new dynamic.Webhook("orders", args, { id: "17" })],
    ["get", () => dynamic.Webhook.get("orders", "base_abc123/17", {})],
  ])("refuses %s, and names the other entry and adopt", (_case, declare) => {
    expect(declare).toThrow(pulumi.RunError);
    expect(declare).toThrow(/^Webhook orders: .*"pulumi-dbwebhooks\/native".* adopt\b/);
    expect(registered).toEqual([]);
  });

  it("keeps the text of its provider, whatever its arguments are", async () => {
    const other = { ...args, __provider: "exports = 1" };

    await resolved(new dynamic.Webhook("orders", other).id);

    expect(registered[0]?.inputs).toMatchObject(mainEntry.inputsOfEntry);
  });
});

describe("A Webhook of ./native", () => {
  const id = "base_abc123/42";

  it("has the output webhookId", async () => {
    const { webhookId } = new native.Webhook("orders", args);

    expect(await resolved(webhookId)).toBe("42");
  });

  it.each([
    ["get", () => native.Webhook.get("found", id)],
    ["the option import", () => new native.Webhook("found", args, { import: id })],
  ])("has its outputs with %s too", async (_case, declare) => {
    const { secret: foundSecret, url } = declare();

    expect(await resolved(foundSecret)).toBe(secret);
    expect(await resolved(url)).toBe(args.url);
  });

  it("requests the plugin of this version", async () => {
    await resolved(new native.Webhook("orders", args).id);

    expect(requests()[0]?.getVersion()).toBe(version);
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

describe("A Provider of the main entry", () => {
  it("belongs to Pulumi's dynamic package, with text values and a secret key", async () => {
    await resolved(new dynamic.Provider("eu", settings).urn);

    expect(registered).toMatchObject([{ type: "pulumi:providers:pulumi-nodejs" }]);
    expect(registered[0]?.inputs).toEqual({
      "dbwebhooks:baseUrl": "https://eu.example.com",
      "dbwebhooks:formerBaseUrls": '["https://old.example.com","https://older.example.com"]',
      "dbwebhooks:apiKey": { ...secretMark, value: "key-token" },
      "dbwebhooks:timeoutSeconds": "2.5",
      "dbwebhooks:listing": "true",
      "dbwebhooks:isExplicit": "true",
    });
  });
});

describe("A Provider of ./native", () => {
  it("belongs to the plugin of this version, with text values and a secret key", async () => {
    await resolved(new native.Provider("eu", settings).urn);

    expect(registered).toMatchObject([{ type: "pulumi:providers:dbwebhooks" }]);
    expect(registered[0]?.inputs).toEqual({
      baseUrl: "https://eu.example.com",
      formerBaseUrls: '["https://old.example.com","https://older.example.com"]',
      apiKey: { ...secretMark, value: "key-token" },
      timeoutSeconds: "2.5",
      listing: "true",
    });
    expect(requests()[0]?.getVersion()).toBe(version);
  });
});

describe.each([mainEntry, nativeEntry])("A Provider of $name", ({ entry: { Provider } }) => {
  it("refuses all unknown arguments at once, without their values", () => {
    const create = () => new Provider("eu", { apikey: "key-token", timeout: 5 } as object);

    expect(create).toThrow(pulumi.RunError);
    expect(create).toThrow(/^Provider eu: apikey: .*\bapiKey\b.*; timeout: /);
    expect(create).not.toThrow("key-token");
  });

  it.each(["default", "default_1_0_0", "default_0_1_0_alpha"])(
    "refuses the name of a default provider: %s",
    (name) => {
      expect(() => new Provider(name, settings)).toThrow(pulumi.RunError);
    },
  );

  it.each(["defaults", "default_eu"])("accepts a name that is only similar: %s", async (name) => {
    await resolved(new Provider(name, settings).urn);

    expect(registered).toMatchObject([{ name }]);
  });
});

describe("A program of the main entry", () => {
  /** Declares two webhooks in a run of its own, and returns the warnings. */
  async function warningsWith(config: Record<string, string>, secretKeys: string[] = []) {
    const warn = vi.spyOn(pulumi.log, "warn").mockReset().mockResolvedValue();
    // The module remembers the runs that it has warned: a new copy stands for a new run.
    vi.resetModules();
    pulumi.runtime.setAllConfig(config, secretKeys);
    const { Webhook } = await import("../../src/sdk/dynamic/webhook.ts");
    await Promise.all(["one", "two"].map((name) => resolved(new Webhook(name, args).id)));
    return warn.mock.calls.map(([line]) => line);
  }

  it("warns once in a run of an API key in plain text", async () => {
    expect(await warningsWith({ "dbwebhooks:apiKey": "token" })).toEqual([
      expect.stringMatching(/dbwebhooks:apiKey (?!.*token)/),
    ]);
  });

  it("warns once in a run of unknown settings and variables, with the nearest names", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("DBWEBHOOKS_BASEURL", "token");
    vi.stubEnv("DBWEBHOOKS_IMPORT_SECRET", "known");
    vi.stubEnv("OTHER_URL", "of another program");

    const lines = await warningsWith({ "dbwebhooks:timeoutSecond": "5", "other:apiKey": "k" });

    expect(lines).toEqual([
      expect.stringMatching(/:timeoutSecond: .*timeoutSeconds/),
      expect.stringMatching(/DBWEBHOOKS_BASEURL: (?!.*token).*_BASE_URL/),
    ]);
  });

  it.each<[string, Record<string, string>, string[]]>([
    ["a secret key", { "dbwebhooks:apiKey": "key" }, ["dbwebhooks:apiKey"]],
    ["no key", { "dbwebhooks:listing": "true" }, []],
  ])("warns of nothing with %s", async (_case, config, secretKeys) => {
    expect(await warningsWith(config, secretKeys)).toEqual([]);
  });
});
