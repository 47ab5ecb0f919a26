import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  type EventType,
  eventTypes,
  Provider,
  Webhook,
  type WebhookArgs,
} from "../../src/index.ts";
import { secret } from "../helpers/builders.ts";

const args: WebhookArgs = {
  databaseId: "base_abc123",
  url: "https://example.com/hooks/orders",
  events: ["record.created"],
};

let registered: pulumi.runtime.MockResourceArgs[] = [];

beforeEach(async () => {
  registered = [];
  await pulumi.runtime.setMocks({
    newResource: (resource) => {
      registered.push(resource);
      const baseUrl = "https://tables.example.com";
      return { id: "17", state: { ...resource.inputs, secret, baseUrl } };
    },
    call: () => ({}),
  });
});

const resolved = <Value>(output: pulumi.Output<Value>): Promise<Value> =>
  new Promise((resolve) => {
    output.apply(resolve);
  });

interface RegisterRequest {
  getAdditionalsecretoutputsList(): string[];
}

/** What a resource asks of Pulumi's engine; mocks are not shown all of it. */
async function requestsOf(declare: () => Webhook): Promise<RegisterRequest[]> {
  const requests: RegisterRequest[] = [];
  const monitor = pulumi.runtime.getMonitor() as unknown as {
    registerResource(request: RegisterRequest, ...rest: unknown[]): unknown;
  };
  const register = vi.spyOn(monitor, "registerResource");
  await resolved(declare().id);
  for (const [request] of register.mock.calls) {
    requests.push(request);
  }
  return requests;
}

describe("a Webhook", () => {
  it("has the type under which states know it", async () => {
    const webhook = new Webhook("orders", args);

    await resolved(webhook.id);

    expect(registered.map(({ type, name }) => [type, name])).toEqual([
      ["pulumi-nodejs:dynamic/dbwebhooks:Webhook", "orders"],
    ]);
  });

  it("carries the provider's text that states know", async () => {
    const webhook = new Webhook("orders", args);

    await resolved(webhook.id);

    expect(registered[0]?.inputs).toHaveProperty(
      "__provider",
      'exports.handler = () => require("pulumi-dbwebhooks/provider")',
    );
  });

  it("cannot be given another provider's text", async () => {
    const webhook = new Webhook("orders", { ...args, __provider: "exports = 1" } as WebhookArgs);

    await resolved(webhook.id);

    expect(registered[0]?.inputs.__provider).toContain('require("pulumi-dbwebhooks/provider")');
  });

  it("passes on its arguments and nothing else", async () => {
    const all: WebhookArgs = {
      ...args,
      tableId: "tbl_orders",
      events: pulumi.output(["view.created" as EventType]),
      allowUnknownEvents: true,
      allowInsecureUrl: false,
    };
    const webhook = new Webhook("orders", all);

    await resolved(webhook.id);

    const { __provider, ...inputs } = registered[0]?.inputs ?? {};
    expect(inputs).toStrictEqual({ ...all, events: ["view.created"] });
  });

  it("has outputs that resolve to what the state holds", async () => {
    const webhook = new Webhook("orders", { ...args, tableId: Promise.resolve("tbl_orders") });

    const outputs = await Promise.all(
      [
        webhook.id,
        webhook.secret,
        webhook.databaseId,
        webhook.url,
        webhook.events,
        webhook.tableId,
        webhook.baseUrl,
      ].map((output) => resolved<unknown>(output)),
    );

    expect(outputs).toEqual([
      "17",
      secret,
      args.databaseId,
      args.url,
      args.events,
      "tbl_orders",
      "https://tables.example.com",
    ]);
  });

  it("has no table unless it is given one", async () => {
    const webhook = new Webhook("orders", args);

    const tableId = await resolved(webhook.tableId);

    expect(tableId).toBeUndefined();
  });

  it.each<[string, pulumi.CustomResourceOptions | undefined, string[]]>([
    ["no options", undefined, ["secret"]],
    ["other options", { protect: true }, ["secret"]],
    ["no secret outputs", { additionalSecretOutputs: [] }, ["secret"]],
    ["other secret outputs", { additionalSecretOutputs: ["url"] }, ["url", "secret"]],
  ])("registers its secret as one with %s", async (_case, opts, expected) => {
    const requests = await requestsOf(() => new Webhook("orders", args, opts));

    expect(requests.map((request) => request.getAdditionalsecretoutputsList())).toEqual([expected]);
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

  it("can be made twice of the same arguments", async () => {
    const webhooks = [new Webhook("a", args), new Webhook("b", args)];

    await Promise.all(webhooks.map((webhook) => resolved(webhook.id)));

    expect(registered).toHaveLength(2);
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
  it("knows a webhook from all else", async () => {
    const webhook = new Webhook("known", {
      databaseId: "base_abc123",
      url: "https://example.com",
      events: ["record.created"],
    });
    const provider = new Provider("account");

    const answers = [webhook, provider, {}, null, undefined].map(Webhook.isInstance);

    expect(answers).toEqual([true, false, false, false, false]);
  });
});
