import type * as pulumi from "@pulumi/pulumi";
import { expectTypeOf, it } from "vitest";
import type schema from "../../../src/adapters/plugin/schema.json";
import type { NewWebhook } from "../../../src/api/client.ts";
import type { settingNames } from "../../../src/common/settings-table.ts";
import type { WebhookField } from "../../../src/common/webhook-fields.ts";
import * as main from "../../../src/index.ts";
import type { LocalServiceOptions, NewEvent } from "../../../src/local-service/index.ts";
import type * as native from "../../../src/native.ts";
import type { webhookArguments } from "../../../src/provider/rules/arguments.ts";

// Nothing here runs: the compiler is the test.
const args = { databaseId: "base_abc123", url: "https://example.com/hooks/orders" };
const anyStrings: readonly string[] = ["no.event"];
const { Webhook, eventTypes } = main;

it("the arguments of a webhook and of a provider are those that the provider validates", () => {
  expectTypeOf<keyof main.WebhookArgs>().toEqualTypeOf<keyof typeof webhookArguments>();
  expectTypeOf<keyof main.ProviderArgs>().toEqualTypeOf<(typeof settingNames)[number]>();
});

it("what the service gets of a webhook replaces it, and is an output", () => {
  expectTypeOf<keyof NewWebhook>().toEqualTypeOf<WebhookField>();
  expectTypeOf<WebhookField>().toExtend<keyof main.Webhook>();
});

it("the outputs of a webhook are those of the schema", () => {
  type Outputs = Exclude<keyof main.Webhook, keyof pulumi.CustomResource>;
  type Properties = (typeof schema)["resources"]["dbwebhooks:index:Webhook"]["properties"];
  expectTypeOf<Outputs>().toEqualTypeOf<keyof Properties>();
});

it("the arguments of a webhook may be outputs and promises, and undefined where they are optional", () => {
  const input = <T>(value: T) => value as pulumi.Input<T>;
  new Webhook("first", {
    databaseId: input("base_abc123"),
    url: input("https://example.com"),
    events: [input<main.EventType>("record.created")],
    tableId: input<string | undefined>(undefined),
    allowInsecureUrl: input<boolean | undefined>(true),
    allowUnknownEvents: input<boolean | undefined>(true),
  });
  new Webhook("second", { ...args, events: input(eventTypes) });
});

it("a Provider has its own address and its own key", () => {
  new main.Provider("eu", { baseUrl: "https://a.example", apiKey: "key" });
  // @ts-expect-error: apiKey is missing
  new main.Provider("eu", { baseUrl: "https://a.example" });
  // @ts-expect-error: baseUrl is missing
  new main.Provider("eu", { apiKey: "key" });
});

it("events must be known event types, unless the program casts them", () => {
  expectTypeOf<main.EventType>().toEqualTypeOf<(typeof eventTypes)[number]>();
  // @ts-expect-error: no.event is not a known event type
  new Webhook("orders", { ...args, events: ["record.created", "no.event"] });
  // @ts-expect-error: any string can be in the list
  new Webhook("orders", { ...args, events: anyStrings, allowUnknownEvents: true });
  new Webhook("orders", { ...args, events: anyStrings as readonly main.EventType[] });
});

it("the output secret of a webhook is no argument, and the outputs have the types that users rely on", () => {
  // @ts-expect-error: secret is an output
  new Webhook("orders", { ...args, events: eventTypes, secret: "secret" });
  expectTypeOf<main.Webhook["id"]>().toEqualTypeOf<pulumi.Output<pulumi.ID>>();
  type Texts = main.Webhook["secret" | "databaseId" | "url" | "baseUrl"];
  expectTypeOf<Texts>().toEqualTypeOf<pulumi.Output<string>>();
  expectTypeOf<main.Webhook["events"]>().toEqualTypeOf<pulumi.Output<main.EventType[]>>();
  expectTypeOf<main.Webhook["tableId"]>().toEqualTypeOf<pulumi.Output<string | undefined>>();
});

it("./native has the names and types of the dynamic provider", () => {
  expectTypeOf<keyof typeof native>().toEqualTypeOf<keyof typeof main>();
  type NativeTypes = [native.WebhookArgs, native.ProviderArgs, native.EventType];
  type MainTypes = [main.WebhookArgs, main.ProviderArgs, main.EventType];
  expectTypeOf<NativeTypes>().toEqualTypeOf<MainTypes>();
  type Args<T extends new (...args: never) => unknown> = ConstructorParameters<T>;
  expectTypeOf<Args<typeof native.Webhook>>().toEqualTypeOf<Args<typeof Webhook>>();
  expectTypeOf<Args<typeof native.Provider>>().toEqualTypeOf<Args<typeof main.Provider>>();
  expectTypeOf<native.Webhook>().toExtend<main.Webhook>();
  expectTypeOf<keyof native.Webhook>().toEqualTypeOf<keyof main.Webhook>();
});

it("the options of the local service may be undefined", () => {
  type Options = LocalServiceOptions & Omit<NewEvent, "type" | "databaseId">;
  expectTypeOf<Record<keyof Options, undefined>>().toExtend<Options>();
});
