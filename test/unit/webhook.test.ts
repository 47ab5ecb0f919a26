import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  type EventType,
  eventTypes,
  Provider,
  Webhook,
  type WebhookArgs,
} from "../../src/index.ts";
import { secret, secretMark } from "../helpers/builders.ts";

const args: WebhookArgs = {
  databaseId: "base_abc123",
  url: "https://example.com/hooks/orders",
  events: ["record.created"],
};

/** What the state holds besides the arguments. */
const stored = { secret, baseUrl: "https://tables.example.com", tableId: "tbl_of_the_state" };

let registered: pulumi.runtime.MockResourceArgs[] = [];

beforeEach(async () => {
  registered = [];
  await pulumi.runtime.setMocks({
    newResource: (resource) => {
      registered.push(resource);
      return { id: "17", state: { ...resource.inputs, ...stored } };
    },
    call: () => ({}),
  });
});

const resolved = <Value>(output: pulumi.Output<Value>): Promise<Value> =>
  new Promise((resolve) => {
    output.apply(resolve);
  });

/** The secret outputs that a resource asks Pulumi's engine for; mocks are not shown them. */
async function secretOutputsOf(declare: () => Webhook): Promise<string[][]> {
  interface RegisterRequest {
    getAdditionalsecretoutputsList(): string[];
  }
  const monitor = pulumi.runtime.getMonitor() as unknown as {
    registerResource(request: RegisterRequest, ...rest: unknown[]): unknown;
  };
  const register = vi.spyOn(monitor, "registerResource");
  await resolved(declare().id);
  return register.mock.calls.map(([request]) => request.getAdditionalsecretoutputsList());
}

describe("a Webhook", () => {
  it("has the type and the provider's text under which states know it", async () => {
    const webhook = new Webhook("orders", { ...args, __provider: "exports = 1" } as WebhookArgs);

    await resolved(webhook.id);

    expect(registered).toMatchObject([
      {
        type: "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
        name: "orders",
        inputs: { __provider: 'exports.handler = () => require("pulumi-dbwebhooks/provider")' },
      },
    ]);
  });

  it("passes on its arguments and nothing else", async () => {
    const all: WebhookArgs = {
      ...args,
      tableId: Promise.resolve("tbl_orders"),
      events: pulumi.output(["view.created" as EventType]),
      allowUnknownEvents: true,
      allowInsecureUrl: false,
    };

    await resolved(new Webhook("orders", all).id);

    const { __provider, ...inputs } = registered[0]?.inputs ?? {};
    expect(inputs).toStrictEqual({ ...all, tableId: "tbl_orders", events: ["view.created"] });
  });

  it("registers the webhook to adopt as a secret", async () => {
    const adopt = { id: pulumi.output(17), secret };

    await resolved(new Webhook("orders", { ...args, adopt }).id);

    expect(registered[0]?.inputs.adopt).toMatchObject({
      ...secretMark,
      value: { id: 17, secret },
    });
  });

  it("has outputs that resolve to what the state holds, also what the program leaves out", async () => {
    const webhook = new Webhook("orders", args);
    const { id, databaseId, url, events, tableId, baseUrl } = webhook;

    const outputs = { id, databaseId, url, events, tableId, baseUrl, secret: webhook.secret };

    expect(await resolved(pulumi.output(outputs))).toEqual({ ...args, ...stored, id: "17" });
  });

  it("leaves it to a preview to say that its arguments are missing", async () => {
    const declare = Webhook as unknown as new (name: string) => Webhook;

    expect(await resolved(new declare("orders").id)).toBe("17");
  });

  it.each<[string, pulumi.CustomResourceOptions | undefined, string[]]>([
    ["no options", undefined, ["secret"]],
    ["other options", { protect: true }, ["secret"]],
    ["no secret outputs", { additionalSecretOutputs: [] }, ["secret"]],
    ["other secret outputs", { additionalSecretOutputs: ["url"] }, ["url", "secret"]],
  ])("registers its secret as one with %s", async (_case, opts, expected) => {
    expect(await secretOutputsOf(() => new Webhook("orders", args, opts))).toEqual([expected]);
  });

  it("leaves its arguments and options as they were", async () => {
    const frozenArgs = Object.freeze({ ...args, events: Object.freeze([...eventTypes]) });
    const frozenOpts = Object.freeze({ protect: true, additionalSecretOutputs: [] });
    const webhook = new Webhook("orders", frozenArgs, frozenOpts);

    await resolved(webhook.id);

    expect(frozenArgs).toStrictEqual({ ...args, events: [...eventTypes] });
    expect(frozenOpts).toStrictEqual({ protect: true, additionalSecretOutputs: [] });
  });

  it.each([{ import: "17" }, { id: "17" }])("refuses the options %j, which cannot work", (opts) => {
    const declare = () => new Webhook("orders", args, opts);

    expect(declare).toThrow(
      new pulumi.RunError(
        "Webhook orders: the options import and id cannot work, because the service does not show the secret of a webhook that exists. Leave them out to create a new webhook, or name an existing one and its secret with the argument adopt.",
      ),
    );
  });
});

describe("the known events", () => {
  it("are the nine of the service's interface", () => {
    const kinds = ["record", "table", "field"];
    const actions = ["created", "updated", "deleted"];

    expect(eventTypes).toEqual(
      kinds.flatMap((kind) => actions.map((action) => `${kind}.${action}`)),
    );
  });
});

describe("Webhook.isInstance", () => {
  it("knows a webhook from all else", () => {
    const values = [new Webhook("known", args), new Provider("account"), {}, null, undefined];

    expect(values.map(Webhook.isInstance)).toEqual([true, false, false, false, false]);
  });
});
