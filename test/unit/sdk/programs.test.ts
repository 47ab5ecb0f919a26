import * as pulumi from "@pulumi/pulumi";
import type { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { version } from "../../../package.json";
import { settingsSourceOf } from "../../../src/adapters/plugin/settings-source.ts";
import * as dynamic from "../../../src/index.ts";
import * as native from "../../../src/native.ts";
import { checkSettings } from "../../../src/provider/rules/settings.ts";
import { secret, wrapped } from "../../helpers/builders.ts";
import { collectUnhandledErrors } from "../../helpers/errors.ts";
import { unusableAccounts } from "../../helpers/unusable-accounts.ts";

const args: dynamic.WebhookArgs = {
  databaseId: "base_abc123",
  url: "https://example.com/hooks/orders",
  events: ["record.created"],
};

const account = { baseUrl: "https://eu.example.com", apiKey: "key-token" };

/** The outputs in the state that do not repeat the arguments of the program. */
const otherOutputs = { secret, baseUrl: "https://tables.example.com", tableId: "tbl_of_the_state" };

let registered: pulumi.runtime.MockResourceArgs[];
/** The registerResource requests to the engine, with fields that Pulumi's mocks do not receive. */
let requests: () => RegisterResourceRequest[];

beforeEach(async () => {
  registered = [];
  await pulumi.runtime.setMocks({
    newResource: (resource) => {
      registered.push(resource);
      return { id: "42", state: { ...args, ...resource.inputs, ...otherOutputs } };
    },
    call: () => ({}),
  });
  const monitor = pulumi.runtime.getMonitor() as ResourceMonitorClient;
  const register = vi.spyOn(monitor, "registerResource");
  requests = () => register.mock.calls.map(([request]) => request);
});

/** Unlike `apply`, the internal method of Pulumi's SDK rejects if the registration fails. */
function resolved<Value>(output: pulumi.Output<Value>): Promise<Value> {
  return (output as unknown as { promise(): Promise<Value> }).promise();
}

const dynamicProvider = {
  name: "the dynamic provider",
  sdk: dynamic,
  type: "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
  otherType: "dbwebhooks:index:Webhook",
  providerType: "pulumi:providers:pulumi-nodejs",
  settingPrefix: "dbwebhooks:",
  addedSettings: { "dbwebhooks:isExplicit": "true" },
  // Its plugin is Pulumi's own, so Pulumi chooses the version.
  pluginVersion: "",
  addedInputs: { __provider: 'exports.handler = () => require("pulumi-dbwebhooks/provider")' },
};
const nativeProvider = {
  name: "the plugin",
  sdk: native,
  type: "dbwebhooks:index:Webhook",
  otherType: "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
  providerType: "pulumi:providers:dbwebhooks",
  settingPrefix: "",
  addedSettings: {},
  pluginVersion: version,
  addedInputs: {},
};

describe.each([dynamicProvider, nativeProvider])("A Webhook of $name", (row) => {
  const { sdk, type, otherType, pluginVersion, addedInputs } = row;
  const { Webhook, Provider } = sdk;

  it("is registered under its type and its plugin's version, with its options and unchanged arguments", async () => {
    // An argument of the name __provider never replaces the provider of the dynamic provider.
    const flags = { allowUnknownEvents: true, allowInsecureUrl: false, __provider: "exports = 1" };
    const events: dynamic.EventType[] = ["record.updated", "record.created", "record.updated"];
    const tableId = Promise.resolve("tbl_orders");
    const all = { ...args, ...flags, url: "HTTPS://Example.com", events };

    // Frozen, so that a constructor that changes its arguments throws.
    const opts = Object.freeze({ protect: true });
    await resolved(new Webhook("orders", Object.freeze({ ...all, tableId }), opts).id);

    expect(registered).toMatchObject([{ type, name: "orders" }]);
    expect(requests()[0]?.getVersion()).toBe(pluginVersion);
    expect(requests()[0]?.getProtect()).toBe(true);
    expect(registered[0]?.inputs).toStrictEqual({ ...all, ...addedInputs, tableId: "tbl_orders" });
  });

  it("has the version of its plugin that the option names", async () => {
    await resolved(new Webhook("orders", args, { version: "1.2.3" }).id);

    expect(requests()[0]?.getVersion()).toBe("1.2.3");
  });

  it("refuses an Output in place of its arguments in one sentence, and so does a Provider", async () => {
    const output = pulumi.output(args) as never;
    const oneSentence = (resource: string) => new RegExp(`^${resource}: [^.]*Output[^.]*\\.$`);

    for (const [resource, declare] of [
      ["Webhook orders", () => new Webhook("orders", output)],
      ["Provider eu", () => new Provider("eu", output)],
    ] as const) {
      expect(declare).toThrow(pulumi.RunError);
      expect(declare).toThrow(oneSentence(resource));
    }
    await new Promise(setImmediate);
    expect(requests()).toEqual([]);
  });

  it("is registered without arguments too, because the preview reports those that are missing", async () => {
    await resolved(new Webhook("orders", undefined as never).id);

    expect(registered[0]?.inputs).toStrictEqual(addedInputs);
  });

  it("reads each argument once, also a getter of a class and an inherited property", async () => {
    const reads: string[] = [];
    class Inherited {
      events = args.events;
    }
    class Arguments extends Inherited implements dynamic.WebhookArgs {
      databaseId = args.databaseId;
      url = args.url;
      get tableId() {
        reads.push("tableId");
        return "tbl_orders";
      }
    }
    const { url: receiver } = args;
    const further = Object.defineProperty(new Arguments(), "urls", {
      enumerable: true,
      get: () => reads.push("urls") && receiver,
    });

    await resolved(new Webhook("orders", further).id);

    const expected = { ...args, tableId: "tbl_orders", urls: receiver, ...addedInputs };
    expect(registered[0]?.inputs).toStrictEqual(expected);
    expect(reads.sort()).toEqual(["tableId", "urls"]);
  });

  it("has no outputs for arguments without a value", () => {
    const flags = { allowUnknownEvents: undefined, allowInsecureUrl: undefined };

    const webhook = new Webhook("orders", { ...args, ...flags });

    expect(Object.keys(webhook)).not.toContain("allowInsecureUrl");
    expect(Object.keys(webhook)).not.toContain("allowUnknownEvents");
  });

  it("has outputs that resolve to the values in the state, even for omitted arguments", async () => {
    const { id, databaseId, url, events, tableId, baseUrl, secret } = new Webhook("orders", args);
    const outputs = { id, databaseId, url, events, tableId, baseUrl, secret };

    const values = await resolved(pulumi.output(outputs));

    expect(values).toEqual({ id: "42", ...args, ...otherOutputs });
  });

  it.each([
    { opts: undefined, expected: ["secret"] },
    { opts: Object.freeze({ additionalSecretOutputs: ["url"] }), expected: ["secret", "url"] },
  ])("is registered with the secret outputs $expected", async ({ opts, expected }) => {
    await resolved(new Webhook("orders", args, opts).id);

    expect(requests()[0]?.getAdditionalsecretoutputsList().sort()).toEqual(expected);
  });

  it("has the aliases of the program, and each also with the type of the other provider", async () => {
    const [urn, parent] = ["urn:pulumi:dev::app::my:index:Type::old", "urn:parent"];
    const typed = { type: "my:index:Type" };
    const elsewhere = { project: "shop", stack: "dev" };
    const aliases = [
      { name: "old" },
      { parent },
      { name: "root", parent: undefined },
      elsewhere,
      typed,
    ];
    const pending = [
      pulumi.output({ name: "output" }),
      pulumi.output({ parent: undefined }),
      Promise.resolve({ name: "promise" }),
      // A URN contains a type, too.
      pulumi.output(`${urn}er`),
      Promise.resolve(`${urn}est`),
      pulumi.output({ ...typed, name: "typed" }),
    ];

    await resolved(
      new Webhook("orders", args, { aliases: [...aliases, urn, ...pending] as never }).id,
    );

    const other = { type: otherType };
    expect(aliasesIn(requests()[0])).toEqual([
      { name: "old" },
      { parenturn: parent },
      { name: "root", noparent: true },
      elsewhere,
      typed,
      urn,
      { name: "output" },
      { noparent: true },
      { name: "promise" },
      `${urn}er`,
      `${urn}est`,
      { ...typed, name: "typed" },
      other,
      { name: "old", ...other },
      { parenturn: parent, ...other },
      { name: "root", noparent: true, ...other },
      { ...elsewhere, ...other },
      { name: "output", ...other },
      { noparent: true, ...other },
      { name: "promise", ...other },
      // Pulumi's SDK sends a URN once, and another alias as often as it gets it.
      { ...typed, name: "typed" },
    ]);
  });

  it.each([{ aliases: [] }, { aliases: [{ type: "my:index:Type" }] }])(
    "has the type of the other provider as an alias beside $aliases",
    async (opts) => {
      await resolved(new Webhook("orders", args, opts).id);

      expect(aliasesIn(requests()[0])).toEqual([...opts.aliases, { type: otherType }]);
    },
  );

  it.each<[string, aliases: unknown, former: readonly unknown[]]>([
    ["null", null, []],
    ["one alias without a list", { name: "old" }, [{ name: "old" }]],
    ["a list with null and false", [null, { name: "old" }, false], [{ name: "old" }]],
  ])("accepts %s as aliases in JavaScript", async (_case, aliases, former) => {
    await resolved(new Webhook("orders", args, { aliases } as never).id);

    const expected = [...former, { type: otherType }];
    expect(aliasesIn(requests()[0])).toEqual(expect.arrayContaining(expected));
  });

  it("is recognized by isInstance, unlike a provider and other values", async () => {
    const webhook = new Webhook("known", args);
    const provider = new Provider("account", account);
    const values = {
      webhook,
      "a webhook of another copy": { __pulumiType: type },
      provider,
      "another Webhook": { __pulumiType: "other:index:Webhook" },
      "an object": {},
      null: null,
      undefined,
    };
    // Otherwise these registrations would end in the next test.
    await Promise.all([webhook, provider].map(({ urn }) => resolved(urn)));

    const instances = Object.entries(values).filter(([, value]) => Webhook.isInstance(value));

    // Names, because a resource would be printed with everything that it refers to.
    expect(instances.map(([name]) => name)).toEqual(["webhook", "a webhook of another copy"]);
  });
});

/** Returns the aliases of a request, each as its URN or as the fields that it names. */
function aliasesIn(request: RegisterResourceRequest | undefined): unknown[] {
  return request?.toObject().aliasesList.map(({ urn, spec }) => {
    return urn || Object.fromEntries(Object.entries(spec ?? {}).filter(([, value]) => value));
  }) as unknown[];
}

it("A reference to a webhook of the plugin stays its id, as an output of another stack is", () => {
  // Pulumi's SDK resolves every output of a StackReference, and this stack has no such resource.
  const { specialSigKey, specialResourceSig, deserializeProperty } = pulumi.runtime;
  const urn = "urn:pulumi:prod::shop::dbwebhooks:index:Webhook::orders";
  const reference = { [specialSigKey]: specialResourceSig, urn, id: "42", packageVersion: version };

  expect(deserializeProperty(reference)).toBe("42");
  expect(requests()).toEqual([]);
});

type SomeProvider = pulumi.ProviderResource;
const newProvider = {
  eu: () => new dynamic.Provider("eu", account),
  nativeEu: () => new native.Provider("eu", account),
};

it.each<[string, RegExp, (provider: SomeProvider) => unknown, (() => SomeProvider)?]>([
  [
    "the option import",
    /"pulumi-dbwebhooks\/native"/,
    () => new dynamic.Webhook("orders", args, { import: "17" }),
  ],
  ["the option id", /StackReference/, () => new dynamic.Webhook("orders", args, { id: "17" })],
  [
    "the option id of ./native",
    /StackReference/,
    () => new native.Webhook("orders", args, { id: "b/17" }),
  ],
  [
    "a Provider of ./native",
    /this Webhook is from "pulumi-dbwebhooks"/,
    (provider) => new dynamic.Webhook("orders", args, { provider }),
    newProvider.nativeEu,
  ],
  [
    "for ./native a Provider of pulumi-dbwebhooks",
    /this Webhook is from "pulumi-dbwebhooks\/native"/,
    (provider) => new native.Webhook("orders", args, { provider }),
    newProvider.eu,
  ],
])("A Webhook refuses %s, and says what to use instead", async (_, advice, declare, create) => {
  const provider = create?.() as SomeProvider;
  await (provider && resolved(provider.urn));

  expect(() => declare(provider)).toThrow(pulumi.RunError);
  expect(() => declare(provider)).toThrow(/^Webhook orders: /);
  expect(() => declare(provider)).toThrow(advice);
  // A registration would be sent only after the constructor.
  await new Promise(setImmediate);
  expect(requests().filter((request) => request.getType().includes("Webhook"))).toEqual([]);
});

const settings: dynamic.ProviderArgs = {
  ...account,
  timeoutSeconds: 2.5,
  listing: pulumi.output(true),
  retrySeconds: undefined,
};

describe.each([dynamicProvider, nativeProvider])("A Provider of $name", (row) => {
  const { sdk, providerType, pluginVersion, settingPrefix, addedSettings } = row;

  it("is registered under its type and its plugin's version, with its options, strings and a secret key", async () => {
    await resolved(new sdk.Provider("eu", settings, { protect: true }).urn);

    expect(registered).toMatchObject([{ type: providerType }]);
    expect(requests()[0]?.getVersion()).toBe(pluginVersion);
    expect(requests()[0]?.getProtect()).toBe(true);
    expect(registered[0]?.inputs).toEqual({
      [`${settingPrefix}baseUrl`]: "https://eu.example.com",
      [`${settingPrefix}apiKey`]: wrapped("key-token"),
      [`${settingPrefix}timeoutSeconds`]: "2.5",
      [`${settingPrefix}listing`]: "true",
      ...addedSettings,
    });
  });

  it("has the version of its plugin that the option names, and makes a secret of a key that is an Output", async () => {
    const given = { ...account, apiKey: pulumi.output("key-token") };

    await resolved(new sdk.Provider("eu", given, { version: "1.2.3" }).urn);

    expect(requests()[0]?.getVersion()).toBe("1.2.3");
    expect(registered[0]?.inputs[`${settingPrefix}apiKey`]).toEqual(wrapped("key-token"));
  });

  it("takes null as an absent argument, and 0 and false as values", async () => {
    const given = { ...account, timeoutSeconds: null, retrySeconds: 0, listing: false };

    await resolved(new sdk.Provider("eu", given as never).urn);

    expect(registered[0]?.inputs).toEqual({
      [`${settingPrefix}baseUrl`]: "https://eu.example.com",
      [`${settingPrefix}apiKey`]: wrapped("key-token"),
      [`${settingPrefix}retrySeconds`]: "0",
      [`${settingPrefix}listing`]: "false",
      ...addedSettings,
    });
  });

  it("refuses all unrecognized arguments at once, without showing their values", () => {
    const create = () =>
      new sdk.Provider("eu", { ...account, apikey: "key-token", timeout: 5 } as never);

    expect(create).toThrow(pulumi.RunError);
    expect(create).toThrow(/^Provider eu: apikey: .*\bapiKey\b.*; timeout: /);
    expect(create).not.toThrow("key-token");
  });

  it("cannot have a name that Pulumi gives to a default provider", () => {
    expect(() => new sdk.Provider("default_1_0_0", settings)).toThrow(pulumi.RunError);
  });

  it("refuses every plain argument that is not valid in one error, before anything is registered", () => {
    const baseUrl = "https://user:password-token@example.com";
    const invalid = {
      baseUrl,
      apiKey: "key token",
      timeoutSeconds: 0,
      retrySeconds: -1,
      listing: 1,
    };

    const create = () => new sdk.Provider("eu", invalid as never);

    expect(create).toThrow(pulumi.RunError);
    expect(create).toThrow(
      /^Provider eu: baseUrl: .*; apiKey: .*; timeoutSeconds: .*; retrySeconds: .*; listing: .* no value was stored/,
    );
    expect(create).not.toThrow(/password-token|key token/);
    expect(requests()).toEqual([]);
  });

  it.each(unusableAccounts)("with %s ends the program", (_case, given, setting) => {
    vi.stubEnv("DBWEBHOOKS_API_KEY", "key-token");
    vi.stubEnv("DBWEBHOOKS_BASE_URL", account.baseUrl);

    const create = () => new sdk.Provider("eu", given as never);

    expect(create).toThrow(new RegExp(`^Provider eu: (?!.*(1234567|-token)).*${setting}: `));
    expect(requests()).toEqual([]);
  });

  it("without arguments or with a key that is null, in JavaScript, ends the program", () => {
    expect(() => new sdk.Provider("eu", undefined as never)).toThrow("baseUrl: ");
    expect(() => new sdk.Provider("eu", { ...account, apiKey: null } as never)).toThrow("apiKey: ");
  });

  it("with a BigInt, or a URL in place of its text, ends the program", () => {
    const baseUrl = new URL(account.baseUrl) as never;

    expect(() => new sdk.Provider("eu", { ...account, timeoutSeconds: 20n as never })).toThrow(
      pulumi.RunError,
    );
    expect(() => new sdk.Provider("eu", { ...account, baseUrl })).toThrow("baseUrl: must be text");
  });

  it("reads each argument once", async () => {
    const read = vi.fn(() => "key-token");
    const given = Object.defineProperty({ ...account }, "apiKey", { get: read });

    await resolved(new sdk.Provider("eu", given).urn);

    expect(registered[0]?.inputs[`${settingPrefix}apiKey`]).toEqual(wrapped("key-token"));
    expect(read).toHaveBeenCalledOnce();
  });
});

/** Outputs for arguments of a Provider that are not valid. */
const invalidOutputs: readonly (readonly [setting: string, given: unknown])[] = [
  ["apiKey", pulumi.secret(undefined)],
  ["apiKey", pulumi.output("")],
  ["apiKey", pulumi.secret(1234567)],
  ["baseUrl", pulumi.output("https://example.com/?token=query-token")],
  ["baseUrl", Promise.resolve("https://user:password-token@example.com")],
  ["retrySeconds", pulumi.output(-1)],
  ["timeoutSeconds", pulumi.output([20])],
  ["listing", pulumi.output(Promise.resolve(() => false))],
];

it.each(invalidOutputs)(
  "A Provider of the dynamic provider with an invalid Output for %s ends the program, unregistered",
  async (setting, given) => {
    vi.stubEnv("DBWEBHOOKS_API_KEY", "key-token");
    const errors = collectUnhandledErrors();

    new dynamic.Provider("eu", { ...account, [setting]: given });

    const message = expect.stringMatching(
      `Provider eu: ${setting}: (?!.*(1234567|-token)).*no value was stored`,
    );
    await vi.waitFor(() => expect(errors).toContainEqual(expect.objectContaining({ message })));
    expect(errors.every((error) => pulumi.RunError.isInstance(error))).toBe(true);
    expect(registered).toEqual([]);
  },
);

it.each(invalidOutputs)(
  "A Provider of the plugin leaves an invalid Output for %s to the plugin's check",
  async (setting, given) => {
    // An error in the program would end every program that the Automation API runs in the process.
    const errors = collectUnhandledErrors();

    await resolved(new native.Provider("eu", { ...account, [setting]: given }).urn);

    const news = registered[0]?.inputs ?? {};
    const { problems } = checkSettings({}, news, {
      ...settingsSourceOf("eu", news),
      environment: {},
    });
    expect(problems).toEqual([expect.stringMatching(`^${setting}: (?!.*(1234567|-token))`)]);
    expect(errors).toEqual([]);
  },
);

/** Declares two webhooks in a program of its own, and returns the warnings. */
async function warningsWith(config: Record<string, string>, secretKeys: string[] = []) {
  using warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
  // The module remembers the stacks that it has warned, so each program gets a new copy of it.
  vi.resetModules();
  pulumi.runtime.setAllConfig(config, secretKeys);
  const { Webhook } = await import("../../../src/sdk/dynamic/webhook.ts");
  await Promise.all(["one", "two"].map((name) => resolved(new Webhook(name, args).id)));
  return warn.mock.calls.map(([line]) => line);
}

it("A program of the dynamic provider warns in each stack that the Automation API runs in one process", async () => {
  // Each of the two webhooks is in a stack of its own.
  using getStackResource = vi.spyOn(pulumi.runtime, "getStackResource");
  getStackResource.mockReturnValueOnce({} as never).mockReturnValueOnce({} as never);

  expect(await warningsWith({ "dbwebhooks:apiKey": "token" })).toHaveLength(2);
});

it("A program of the dynamic provider warns once of a plain key, but does not show it", async () => {
  const lines = await warningsWith({ "dbwebhooks:apiKey": "token", "other:apiKey": "k" });

  expect(lines).toEqual([expect.stringMatching(/dbwebhooks:apiKey (?!.*token)/)]);
});

it("A program of the dynamic provider does not warn of a secret API key", async () => {
  expect(await warningsWith({ "dbwebhooks:apiKey": "key" }, ["dbwebhooks:apiKey"])).toEqual([]);
});

it("A program of the dynamic provider does not warn when its SDK cannot tell which keys are secret", async () => {
  const runtime = pulumi.runtime as { isConfigSecret?: unknown };
  const { isConfigSecret } = runtime;
  onTestFinished(() => void Object.assign(runtime, { isConfigSecret }));
  runtime.isConfigSecret = undefined;

  expect(await warningsWith({ "dbwebhooks:apiKey": "key" })).toEqual([]);
});
