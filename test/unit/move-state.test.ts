import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { movedToPlugin } from "../../src/cli/move-state.ts";

const project = "urn:pulumi:dev::orders::";
const dynamicType = "pulumi-nodejs:dynamic/dbwebhooks:Webhook";
const signature = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const ciphertext = { ...signature, ciphertext: "v1:encrypted" };

const stack = { urn: `${project}pulumi:pulumi:Stack::orders-dev`, type: "pulumi:pulumi:Stack" };
const defaultProvider = `${project}pulumi:providers:dbwebhooks::default_${version.replaceAll(".", "_")}`;
const account = {
  urn: `${project}pulumi:providers:pulumi-nodejs::eu`,
  id: "uuid",
  type: "pulumi:providers:pulumi-nodejs",
  inputs: { "dbwebhooks:apiKey": ciphertext, "dbwebhooks:isExplicit": "true" },
  outputs: { "dbwebhooks:apiKey": ciphertext, "dbwebhooks:isExplicit": "true" },
};

function webhook(name: string, changes: object = {}) {
  return {
    urn: `${project}my:index:Team$${dynamicType}::${name}`,
    id: "42",
    type: dynamicType,
    inputs: { __provider: "text", databaseId: "base_abc123" },
    outputs: { __provider: "text", databaseId: "base_abc123", secret: ciphertext },
    provider: `${project}pulumi:providers:pulumi-nodejs::default::other`,
    ...changes,
  };
}

const pluginUrn = (name: string) => `${project}my:index:Team$dbwebhooks:index:Webhook::${name}`;

function pluginWebhook(name: string) {
  const provider = `${defaultProvider}::uuid`;
  return { urn: pluginUrn(name), id: "db1/61", type: "dbwebhooks:index:Webhook", provider };
}

const exportOf = (resources: readonly object[], more: object = {}) =>
  JSON.stringify({ version: 3, deployment: { resources, ...more } });
const moved = (...resources: object[]) =>
  JSON.parse(movedToPlugin(exportOf(resources))).deployment.resources;

describe("move-state", () => {
  it("turns a webhook into one of the plugin with the same number and encrypted secret", () => {
    const [first, provider, orders] = moved(stack, webhook("orders"));

    expect(first).toEqual(stack);
    expect(provider).toMatchObject({
      urn: defaultProvider,
      type: "pulumi:providers:dbwebhooks",
      inputs: { version },
    });
    expect(orders).toEqual({
      urn: pluginUrn("orders"),
      id: "base_abc123/42",
      type: "dbwebhooks:index:Webhook",
      inputs: { databaseId: "base_abc123" },
      outputs: { databaseId: "base_abc123", secret: ciphertext, webhookId: "42" },
      provider: `${provider.urn}::${provider.id}`,
    });
  });

  it("turns an explicit provider into one of the plugin that keeps its webhooks", () => {
    const ofAccount = webhook("orders", { provider: `${account.urn}::uuid` });

    const [, , movedAccount, movedWebhook] = moved(stack, account, ofAccount);

    const urn = `${project}pulumi:providers:dbwebhooks::eu`;
    expect(movedAccount).toEqual({
      urn,
      id: "uuid",
      type: "pulumi:providers:dbwebhooks",
      inputs: { apiKey: ciphertext },
      outputs: { apiKey: ciphertext },
    });
    expect(movedWebhook.provider).toBe(`${urn}::uuid`);
  });

  it("renames a webhook wherever another resource names it", () => {
    const { urn } = webhook("orders");
    const dependent = {
      urn: `${project}a:b:C::c`,
      parent: urn,
      dependencies: [stack.urn, urn],
      propertyDependencies: { name: [urn], size: null },
      deletedWith: urn,
    };
    const child = { urn: `${project}my:index:Team$${dynamicType}$a:b:C::child`, parent: urn };

    const [, , orders, movedDependent, movedChild] = moved(
      stack,
      webhook("orders"),
      dependent,
      child,
    );

    expect(movedDependent).toEqual({
      ...dependent,
      parent: orders.urn,
      dependencies: [stack.urn, orders.urn],
      propertyDependencies: { name: [orders.urn], size: null },
      deletedWith: orders.urn,
    });
    expect(movedChild).toEqual({
      urn: `${project}my:index:Team$dbwebhooks:index:Webhook$a:b:C::child`,
      parent: orders.urn,
    });
  });

  it("moves pending operations on webhooks, which can lack an id", () => {
    const { id: _, outputs: __, ...creation } = webhook("new");
    const operations = [{ resource: creation, type: "creating" }];
    const exported = exportOf([stack, webhook("orders")], { pending_operations: operations });

    const { deployment } = JSON.parse(movedToPlugin(exported));

    const [, , orders] = deployment.resources;
    expect(deployment.pending_operations).toEqual([
      {
        type: "creating",
        resource: {
          urn: pluginUrn("new"),
          type: "dbwebhooks:index:Webhook",
          inputs: { databaseId: "base_abc123" },
          provider: orders.provider,
        },
      },
    ]);
  });

  it("leaves everything else in a state alone, whatever texts it holds", () => {
    const foreignProvider = {
      ...account,
      urn: `${project}pulumi:providers:pulumi-nodejs::x`,
      inputs: {},
    };
    const note = {
      urn: `${project}a:b:Note::${dynamicType}`,
      type: "a:b:Note",
      outputs: { text: `${dynamicType} and ${webhook("orders").urn} at ${account.urn}` },
      aliases: [webhook("old").urn],
    };
    const manifest = { note: dynamicType };
    const exported = exportOf([stack, foreignProvider, webhook("orders"), account, note], {
      manifest,
    });

    const state = JSON.parse(movedToPlugin(exported));

    expect(state).toMatchObject({ version: 3, deployment: { manifest } });
    expect(state.deployment.resources).toContainEqual(foreignProvider);
    expect(state.deployment.resources).toContainEqual(note);
  });

  it("uses the plugin's default provider of the state, and leaves webhooks of the plugin alone", () => {
    const provider = { urn: defaultProvider, id: "uuid", type: "pulumi:providers:dbwebhooks" };
    const other = pluginWebhook("other");

    const resources = moved(stack, webhook("orders"), provider, other);

    expect(resources).toEqual([
      stack,
      provider,
      expect.objectContaining({ urn: pluginUrn("orders"), provider: other.provider }),
      other,
    ]);
  });

  it("reads the database of a webhook from a state that was exported with its secrets", () => {
    const databaseId = { ...signature, plaintext: '"base_abc123"' };

    const [, , orders] = moved(stack, webhook("orders", { outputs: { databaseId } }));

    expect(orders.id).toBe("base_abc123/42");
  });

  it("asks for an export with secrets where the database of a webhook is encrypted", () => {
    const encrypted = webhook("orders", { outputs: { databaseId: ciphertext } });

    expect(() => moved(stack, encrypted)).toThrow(
      /databaseId of .*Webhook::orders is encrypted.*--show-secrets/,
    );
  });

  it("refuses a state that holds a webhook of the plugin with the same name", () => {
    expect(() => moved(stack, webhook("orders"), pluginWebhook("orders"))).toThrow(
      /holds both .*dynamic.*::orders and .*index:Webhook::orders/,
    );
  });

  it.each([
    ["nothing", ""],
    ["null", "null"],
    ["no deployment", '{"deployment":null}'],
  ])("asks for an exported state when it gets %s", (_, exported) => {
    expect(() => movedToPlugin(exported)).toThrow("pulumi stack export");
  });

  it("refuses a state that has moved already, also with a secret database", () => {
    const outputs = { databaseId: ciphertext };

    expect(() => moved(stack, { ...pluginWebhook("orders"), outputs })).toThrow(
      "no webhook of the dynamic provider",
    );
  });

  it("shows names from the state without control characters", () => {
    const name = "orders\u001b]0;title\u0007\n";
    const encrypted = webhook(name, { outputs: { databaseId: ciphertext } });

    expect(() => moved(stack, encrypted)).toThrow(/^[^\p{Cc}]*orders[^\p{Cc}]*$/u);
    expect(() => moved(stack, webhook(name), pluginWebhook(name))).toThrow(
      /^[^\p{Cc}]*orders[^\p{Cc}]*$/u,
    );
  });

  it("refuses a Provider that a resource other than a webhook uses", () => {
    const other = {
      urn: `${project}pulumi-nodejs:dynamic:Resource::mine`,
      id: "mine",
      type: "pulumi-nodejs:dynamic:Resource",
      provider: `${account.urn}::${account.id}`,
    };

    expect(() => moved(stack, account, other, webhook("orders"))).toThrow(/Resource::mine/);
  });

  it("moves a webhook that precedes the stack in the file", () => {
    const types = moved(webhook("orders"), stack).map(({ type }: { type: string }) => type);

    expect(types).toEqual([
      "pulumi:pulumi:Stack",
      "pulumi:providers:dbwebhooks",
      "dbwebhooks:index:Webhook",
    ]);
  });
});
