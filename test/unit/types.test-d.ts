import * as pulumi from "@pulumi/pulumi";
import { describe, expectTypeOf, it } from "vitest";
import type { settingNames } from "../../src/common/setting-names.ts";
import type { webhookArguments } from "../../src/core/arguments.ts";
import {
  type EventType,
  eventTypes,
  type Provider,
  type ProviderArgs,
  Webhook,
  type WebhookArgs,
} from "../../src/index.ts";
import * as native from "../../src/native/native.ts";

// Nothing here runs: the compiler is the test.
const common = { databaseId: "base_abc123", url: "https://example.com/hooks/orders" };
const anyNames: readonly string[] = ["view.created"];
declare const config: pulumi.Config;

/** The names of every form that the arguments can have. */
type NamesOf<Args> = Args extends unknown ? keyof Args : never;

describe("the arguments of a webhook", () => {
  it("are those of the argument table", () => {
    expectTypeOf<NamesOf<WebhookArgs>>().toEqualTypeOf<keyof typeof webhookArguments>();
  });
});

describe("the events of a webhook", () => {
  it("are known ones", () => {
    new Webhook("orders", { ...common, events: ["record.created", "table.deleted"] });
  });

  it("may be a list that cannot be changed", () => {
    new Webhook("orders", { ...common, events: eventTypes });
    new Webhook("orders", { ...common, events: Object.freeze<EventType[]>(["field.created"]) });
  });

  it("may be known only later, one by one or together", () => {
    const event = pulumi.output<EventType>("record.created");
    new Webhook("orders", {
      ...common,
      events: [event, Promise.resolve("record.updated" as const)],
    });
    new Webhook("orders", { ...common, events: pulumi.output<EventType[]>(["record.created"]) });
    new Webhook("orders", { ...common, events: Promise.resolve(eventTypes) });
  });

  it("are not unknown ones", () => {
    // @ts-expect-error: not one of the nine
    new Webhook("orders", { ...common, events: ["view.created"] });
    // @ts-expect-error: nor among others
    new Webhook("orders", { ...common, events: ["record.created", "record.create"] });
    // @ts-expect-error: nor any text
    new Webhook("orders", { ...common, events: anyNames });
    // @ts-expect-error: nor where unknown ones are not allowed
    new Webhook("orders", { ...common, events: ["view.created"], allowUnknownEvents: false });
  });

  it("may be unknown ones with a cast", () => {
    const events = ["view.created" as EventType];
    new Webhook("orders", { ...common, events, allowUnknownEvents: true });
    new Webhook("orders", {
      ...common,
      events: anyNames as readonly EventType[],
      allowUnknownEvents: pulumi.output(true),
    });
  });

  it("may be those of another webhook, or of the configuration", () => {
    const first = new Webhook("first", { ...common, events: ["record.created"] });
    new Webhook("second", { ...common, events: first.events });
    new Webhook("third", { ...common, events: config.requireObject<EventType[]>("events") });
  });

  it("are not left out, and not a single text", () => {
    // @ts-expect-error: missing
    new Webhook("orders", common);
    // @ts-expect-error: no list
    new Webhook("orders", { ...common, events: "record.created" });
  });
});

describe("the arguments of a webhook", () => {
  it("may be known only later", () => {
    new Webhook("orders", {
      databaseId: pulumi.output("base_abc123"),
      url: Promise.resolve("https://example.com"),
      events: ["record.created"],
      tableId: pulumi.secret("tbl_orders"),
      allowInsecureUrl: pulumi.output(true),
    });
  });

  it("may be undefined where they are optional", () => {
    new Webhook("orders", {
      ...common,
      events: ["record.created"],
      tableId: undefined,
      allowInsecureUrl: undefined,
      allowUnknownEvents: undefined,
    });
    new Webhook("orders", {
      ...common,
      events: ["record.created"],
      tableId: pulumi.output<string | undefined>(undefined),
    });
  });

  it("have names that the compiler checks", () => {
    const args: WebhookArgs = { ...common, events: ["record.created"] };
    // @ts-expect-error: misspelt
    new Webhook("orders", { ...common, events: ["record.created"], tableID: "tbl_orders" });
    // @ts-expect-error: an output
    new Webhook("orders", { ...common, events: ["record.created"], secret: "whsec" });
    // @ts-expect-error: an output
    new Webhook("orders", { ...common, events: ["record.created"], baseUrl: "https://x.example" });
    // @ts-expect-error: missing
    new Webhook("orders", { url: common.url, events: ["record.created"] });
    new Webhook("orders", args);
  });

  it("are one plain interface, to be extended and cut", () => {
    interface TeamArgs extends WebhookArgs {
      readonly team: string;
    }
    const { team: _team, ...args }: TeamArgs = { ...common, events: ["record.created"], team: "a" };
    new Webhook("orders", args);
    const withoutUrl: Omit<WebhookArgs, "url"> = { databaseId: "base_1", events: eventTypes };
    new Webhook("orders", { ...withoutUrl, url: common.url });
  });

  it("have types that the compiler checks", () => {
    const events: EventType[] = ["record.created"];
    // @ts-expect-error: no number
    new Webhook("orders", { ...common, events, databaseId: 7 });
    // @ts-expect-error: no text
    new Webhook("orders", { ...common, events, allowInsecureUrl: "true" });
    // @ts-expect-error: not null
    new Webhook("orders", { ...common, events, tableId: null });
  });
});

describe("the outputs of a webhook", () => {
  it("have the types that users rely on", () => {
    expectTypeOf<Webhook["id"]>().toEqualTypeOf<pulumi.Output<pulumi.ID>>();
    expectTypeOf<Webhook["secret"]>().toEqualTypeOf<pulumi.Output<string>>();
    expectTypeOf<Webhook["databaseId"]>().toEqualTypeOf<pulumi.Output<string>>();
    expectTypeOf<Webhook["url"]>().toEqualTypeOf<pulumi.Output<string>>();
    expectTypeOf<Webhook["events"]>().toEqualTypeOf<pulumi.Output<EventType[]>>();
    expectTypeOf<Webhook["tableId"]>().toEqualTypeOf<pulumi.Output<string | undefined>>();
    expectTypeOf<Webhook["baseUrl"]>().toEqualTypeOf<pulumi.Output<string>>();
  });
});

describe("the entry for the plugin", () => {
  it("has the names and the types of the main entry", () => {
    expectTypeOf<native.WebhookArgs>().toEqualTypeOf<WebhookArgs>();
    expectTypeOf<native.ProviderArgs>().toEqualTypeOf<ProviderArgs>();
    expectTypeOf<native.EventType>().toEqualTypeOf<EventType>();
    expectTypeOf<ConstructorParameters<typeof native.Webhook>>().toEqualTypeOf<
      ConstructorParameters<typeof Webhook>
    >();
    expectTypeOf<ConstructorParameters<typeof native.Provider>>().toEqualTypeOf<
      ConstructorParameters<typeof Provider>
    >();
    expectTypeOf<native.Webhook>().toExtend<Webhook>();
    expectTypeOf<native.Webhook["webhookId"]>().toEqualTypeOf<pulumi.Output<string>>();
  });

  it("gets and imports webhooks by their id", () => {
    const events: EventType[] = ["record.created"];
    const found = native.Webhook.get("found", pulumi.interpolate`base_abc123/${42}`);
    expectTypeOf(found).toEqualTypeOf<native.Webhook>();
    new native.Webhook("orders", { ...common, events }, { import: found.id.get() });
    // @ts-expect-error: an id is missing
    native.Webhook.get("found");
    // @ts-expect-error: not one of the nine
    new native.Webhook("orders", { ...common, events: ["view.created"] });
  });
});

describe("the arguments of a provider", () => {
  it("are the settings", () => {
    expectTypeOf<keyof ProviderArgs>().toEqualTypeOf<(typeof settingNames)[number]>();
  });
});

describe("EventType", () => {
  it("is one of the known events", () => {
    expectTypeOf<EventType>().toEqualTypeOf<(typeof eventTypes)[number]>();
    expectTypeOf<"record.created">().toExtend<EventType>();
    expectTypeOf<"view.created">().not.toExtend<EventType>();
  });
});
