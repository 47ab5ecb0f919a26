import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { movedToPlugin } from "../../src/cli/move-state.ts";

const project = "urn:pulumi:dev::orders::";
const dynamicType = "pulumi-nodejs:dynamic/dbwebhooks:Webhook";
const pluginType = "dbwebhooks:index:Webhook";
const signature = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const ciphertext = { ...signature, ciphertext: "v1:encrypted" };

const stack = { urn: `${project}pulumi:pulumi:Stack::orders-dev`, type: "pulumi:pulumi:Stack" };
const defaultProvider = {
  urn: `${project}pulumi:providers:dbwebhooks::default_${version.replaceAll(".", "_")}`,
  id: "default-uuid",
  type: "pulumi:providers:dbwebhooks",
};
const account = {
  urn: `${project}pulumi:providers:pulumi-nodejs::eu`,
  id: "uuid",
  type: "pulumi:providers:pulumi-nodejs",
  inputs: { "dbwebhooks:apiKey": ciphertext, "dbwebhooks:isExplicit": "true" },
  outputs: { "dbwebhooks:apiKey": ciphertext, "dbwebhooks:isExplicit": "true" },
};
const orders = {
  urn: `${project}my:index:Team$${dynamicType}::orders`,
  id: "42",
  type: dynamicType,
  inputs: { __provider: "text", databaseId: "base_abc123" },
  outputs: { __provider: "text", databaseId: "base_abc123", secret: ciphertext },
  provider: `${project}pulumi:providers:pulumi-nodejs::default::other`,
};
const pluginOrders = {
  urn: `${project}my:index:Team$${pluginType}::orders`,
  id: "base_abc123/42",
  type: pluginType,
  provider: `${defaultProvider.urn}::${defaultProvider.id}`,
};

const exportOf = (resources: readonly object[], fields = {}) =>
  JSON.stringify({ version: 3, deployment: { resources, ...fields } });

/** The resources after the move, by URN. */
function moved(...resources: object[]) {
  const { deployment } = JSON.parse(movedToPlugin(exportOf(resources)));
  return new Map<string, Record<string, unknown>>(
    deployment.resources.map((resource: { urn: string }) => [resource.urn, resource]),
  );
}

describe("move-state", () => {
  it("turns a webhook into one of the plugin with the same number and encrypted secret", () => {
    const resources = moved(stack, defaultProvider, orders);

    expect(resources.get(pluginOrders.urn)).toEqual({
      ...pluginOrders,
      inputs: { databaseId: "base_abc123" },
      outputs: { databaseId: "base_abc123", secret: ciphertext, webhookId: "42" },
    });
  });

  it("adds the default provider of the plugin before its webhooks", () => {
    const [provider, ...others] = moved(stack, orders).values();

    const { urn, type } = defaultProvider;
    expect(provider).toMatchObject({ urn, type, custom: true, inputs: { version } });
    expect(others).toMatchObject([stack, { provider: `${urn}::${provider?.id}` }]);
  });

  it("turns an explicit provider into one of the plugin that keeps its webhooks", () => {
    const ofAccount = { ...orders, provider: `${account.urn}::uuid` };

    const resources = moved(stack, account, ofAccount);

    const urn = `${project}pulumi:providers:dbwebhooks::eu`;
    expect(resources.get(urn)).toEqual({
      urn,
      id: "uuid",
      type: "pulumi:providers:dbwebhooks",
      inputs: { apiKey: ciphertext },
      outputs: { apiKey: ciphertext },
    });
    expect(resources.get(pluginOrders.urn)).toMatchObject({ provider: `${urn}::uuid` });
  });

  it("renames a webhook wherever another resource refers to it", () => {
    const references = (urn: string) => ({
      parent: urn,
      dependencies: [stack.urn, urn],
      propertyDependencies: { name: [urn], size: null },
      deletedWith: urn,
    });
    const dependent = { urn: `${project}a:b:C::c`, type: "a:b:C" };
    const child = { urn: `${project}my:index:Team$${dynamicType}$a:b:C::child`, type: "a:b:C" };

    const resources = moved(
      stack,
      orders,
      { ...dependent, ...references(orders.urn) },
      { ...child, parent: orders.urn },
    );

    const movedReferences = references(pluginOrders.urn);
    expect(resources.get(dependent.urn)).toEqual({ ...dependent, ...movedReferences });
    const childUrn = `${project}my:index:Team$${pluginType}$a:b:C::child`;
    expect(resources.get(childUrn)).toMatchObject({ parent: pluginOrders.urn });
  });

  it("leaves everything else in a state alone, whatever texts it holds", () => {
    const urn = `${project}pulumi:providers:pulumi-nodejs::foreign`;
    const foreignProvider = { ...account, urn, inputs: {} };
    const pluginWebhook = { ...pluginOrders, urn: `${project}${pluginType}::other` };
    const note = {
      urn: `${project}a:b:Note::${dynamicType}`,
      type: "a:b:Note",
      outputs: { text: `${dynamicType} and ${orders.urn} at ${account.urn}` },
      aliases: [orders.urn],
    };
    const others = [stack, foreignProvider, defaultProvider, pluginWebhook, note];
    const manifest = { note: dynamicType };

    const state = JSON.parse(movedToPlugin(exportOf([...others, account, orders], { manifest })));

    expect(state).toMatchObject({ version: 3, deployment: { manifest } });
    expect(state.deployment.resources).toEqual(expect.arrayContaining(others));
    expect(state.deployment.resources).toHaveLength(others.length + 2);
  });

  it("reads an encrypted database from an export with --show-secrets", () => {
    const databaseId = { ...signature, plaintext: '"base_abc123"' };

    const resources = moved(stack, { ...orders, outputs: { databaseId } });

    expect(resources.get(pluginOrders.urn)).toMatchObject({ id: "base_abc123/42" });
  });
});

describe("move-state refuses", () => {
  const pending = { pending_operations: [{ type: "creating" }] };
  it.each([
    { input: "text that is no JSON", exported: "", message: "pulumi stack export" },
    { input: "JSON that is no state", exported: "null", message: "pulumi stack export" },
    { input: "a moved state", exported: exportOf([pluginOrders]), message: "holds no webhook" },
    { input: "pending operations", exported: exportOf([orders], pending), message: "pending op" },
  ])("$input", ({ exported, message }) => {
    expect(() => movedToPlugin(exported)).toThrow(message);
  });

  it("a webhook with an encrypted database, without showing control characters of its name", () => {
    const urn = `${orders.urn}\u001b]0;title\u0007\n`;
    const encrypted = { ...orders, urn, outputs: { databaseId: ciphertext } };

    expect(() => moved(stack, encrypted)).toThrow(/^\P{Cc}*::orders\P{Cc}*--show-secrets\P{Cc}*$/u);
  });

  it("a webhook of the same name as one of the plugin", () => {
    expect(() => moved(stack, orders, pluginOrders)).toThrow(
      /holds both .*dynamic.*::orders and .*index:Webhook::orders/,
    );
  });

  it("a Provider that a resource other than a webhook uses", () => {
    const provider = `${account.urn}::${account.id}`;
    const other = { urn: `${project}a:b:C::other`, type: "pulumi-nodejs:dynamic:C", provider };

    expect(() => moved(stack, account, other, orders)).toThrow("a:b:C::other");
  });
});
