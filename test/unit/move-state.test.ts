import { expect, it } from "vitest";
import { version } from "../../package.json";
import { movedToPlugin } from "../../src/cli/move-state.ts";
import { secretSignature } from "../helpers/builders.ts";

const urnPrefix = "urn:pulumi:dev::orders::";
const dynamicType = "pulumi-nodejs:dynamic/dbwebhooks:Webhook";
const pluginType = "dbwebhooks:index:Webhook";
const encrypted = { ...secretSignature, ciphertext: "v1:encrypted" };

const stack = { urn: `${urnPrefix}pulumi:pulumi:Stack::orders-dev`, type: "pulumi:pulumi:Stack" };
const defaultProvider = {
  urn: `${urnPrefix}pulumi:providers:dbwebhooks::default_${version.replaceAll(".", "_")}`,
  id: "default-uuid",
  type: "pulumi:providers:dbwebhooks",
};
const account = {
  urn: `${urnPrefix}pulumi:providers:pulumi-nodejs::eu`,
  id: "uuid",
  type: "pulumi:providers:pulumi-nodejs",
  inputs: { "dbwebhooks:apiKey": encrypted, "dbwebhooks:isExplicit": "true" },
  outputs: { "dbwebhooks:apiKey": encrypted, "dbwebhooks:isExplicit": "true" },
};
const orders = {
  urn: `${urnPrefix}my:index:Team$${dynamicType}::orders`,
  id: "42",
  type: dynamicType,
  inputs: { __provider: "text", databaseId: "base_abc123" },
  outputs: { __provider: "text", databaseId: "base_abc123", secret: encrypted },
  provider: `${urnPrefix}pulumi:providers:pulumi-nodejs::default::other`,
  protect: true,
};
const pluginOrders = {
  urn: `${urnPrefix}my:index:Team$${pluginType}::orders`,
  id: "base_abc123/42",
  type: pluginType,
  provider: `${defaultProvider.urn}::${defaultProvider.id}`,
  protect: true,
};

const exportOf = (resources: readonly object[], fields = {}) =>
  JSON.stringify({ version: 3, deployment: { resources, ...fields } });

/** Returns the resources of a state after the move to the plugin, by URN. */
function moved(...resources: object[]) {
  const { deployment } = JSON.parse(movedToPlugin(exportOf(resources)));
  return new Map<string, Record<string, unknown>>(
    deployment.resources.map((resource: { urn: string }) => [resource.urn, resource]),
  );
}

it("move-state turns a webhook into one of the plugin with the same number and secret", () => {
  const resources = moved(stack, defaultProvider, orders);

  expect(resources.get(pluginOrders.urn)).toEqual({
    ...pluginOrders,
    inputs: { databaseId: "base_abc123" },
    outputs: { databaseId: "base_abc123", secret: encrypted, webhookId: "42" },
  });
});

it("move-state adds the default provider of the plugin before its webhooks", () => {
  const [provider, ...others] = moved(stack, orders).values();

  const { urn, type } = defaultProvider;
  expect(provider).toMatchObject({ urn, type, id: expect.any(String), custom: true });
  expect(provider).toMatchObject({ inputs: { version }, outputs: { version } });
  expect(others).toMatchObject([stack, { provider: `${urn}::${provider?.id}` }]);
});

it("move-state gives no webhook to a default provider that Pulumi is about to delete", () => {
  const resources = moved(stack, { ...defaultProvider, delete: true }, orders);

  const { provider } = resources.get(pluginOrders.urn) ?? {};
  expect(provider).toContain(`${defaultProvider.urn}::`);
  expect(provider).not.toBe(pluginOrders.provider);
});

it("move-state turns an explicit provider into one of the plugin that keeps its webhooks and dependents", () => {
  const references = (urn: string) => ({ provider: `${urn}::uuid`, dependencies: [urn] });

  const resources = moved(stack, account, { ...orders, ...references(account.urn) });

  const { type } = defaultProvider;
  const urn = `${urnPrefix}${type}::eu`;
  const inputs = { apiKey: encrypted };
  expect(resources.get(urn)).toEqual({ urn, id: "uuid", type, inputs, outputs: inputs });
  expect(resources.get(pluginOrders.urn)).toMatchObject(references(urn));
});

it("move-state renames a webhook wherever another resource refers to it", () => {
  const references = (urn: string) => ({
    parent: urn,
    dependencies: [stack.urn, urn],
    propertyDependencies: { name: [urn], size: null },
    deletedWith: urn,
    replaceWith: [urn],
    viewOf: urn,
  });
  const childOf = (parentType: string, parent: string) => ({
    urn: `${urnPrefix}my:index:Team$${parentType}$a:b:C::child`,
    type: "a:b:C",
    ...references(parent),
  });

  const dependentAccount = { ...account, ...references(orders.urn) };
  const resources = moved(stack, orders, childOf(dynamicType, orders.urn), dependentAccount);

  const movedChild = childOf(pluginType, pluginOrders.urn);
  expect(resources.get(movedChild.urn)).toEqual(movedChild);
  const movedAccount = resources.get(`${urnPrefix}${defaultProvider.type}::eu`);
  expect(movedAccount).toMatchObject(references(pluginOrders.urn));
});

it("move-state leaves the rest of a state as it is, even texts and aliases with moved types and URNs", () => {
  const urn = `${urnPrefix}pulumi:providers:pulumi-nodejs::foreign`;
  const foreignProvider = { ...account, urn, inputs: {}, outputs: {} };
  const pluginWebhook = { ...pluginOrders, urn: `${urnPrefix}${pluginType}::other` };
  const deletedProvider = { ...defaultProvider, id: "deleted-uuid", delete: true };
  const texts = { urn: orders.urn, text: `${dynamicType} and ${orders.urn} at ${account.urn}` };
  const note = {
    urn: `${urnPrefix}a:b:Note::${dynamicType}`,
    type: "a:b:Note",
    inputs: texts,
    outputs: texts,
    aliases: [orders.urn],
  };
  const others = [defaultProvider, stack, foreignProvider, deletedProvider, pluginWebhook, note];
  const fields = { manifest: { note: dynamicType }, metadata: {} };

  const state = JSON.parse(movedToPlugin(exportOf([...others, account, orders], fields)));

  const movedWithId = (id: string) => expect.objectContaining({ id });
  const movedResources = [movedWithId(account.id), movedWithId(pluginOrders.id)];
  const resources = [...others, ...movedResources];
  expect(state).toEqual({ version: 3, deployment: { ...fields, resources } });
});

it("move-state reads a databaseId that is a secret from an export with --show-secrets", () => {
  const databaseId = { ...secretSignature, plaintext: '"base_abc123"' };

  const resources = moved(stack, { ...orders, outputs: { databaseId } });

  expect(resources.get(pluginOrders.urn)).toMatchObject({ id: "base_abc123/42" });
});

const pending = { pending_operations: [{ type: "creating" }] };
it.each([
  { input: "text that is no JSON", exported: "", message: "pulumi stack export" },
  { input: "JSON that is no state", exported: '{"deployment":{}}', message: "pulumi stack export" },
  { input: "a moved state", exported: exportOf([pluginOrders]), message: "holds no webhook" },
  { input: "pending operations", exported: exportOf([orders], pending), message: "pending op" },
])("move-state refuses $input", ({ exported, message }) => {
  expect(() => movedToPlugin(exported)).toThrow(message);
});

it("move-state refuses a webhook with an encrypted databaseId, and shows its name without control characters", () => {
  const urn = `${orders.urn}\u001b]0;title\u0007\n`;
  const webhook = { ...orders, urn, outputs: { databaseId: encrypted } };

  expect(() => moved(stack, webhook)).toThrow(/^\P{Cc}*::orders\P{Cc}*--show-secrets\P{Cc}*$/u);
});

it("move-state refuses a webhook of the same name as one of the plugin", () => {
  expect(() => moved(stack, orders, pluginOrders)).toThrow(
    /holds both .*dynamic.*::orders and .*index:Webhook::orders/,
  );
});

it("move-state refuses a Provider that a resource other than a webhook uses", () => {
  const provider = `${account.urn}::${account.id}`;
  const other = { urn: `${urnPrefix}a:b:C::other`, type: "a:b:C", provider };

  expect(() => moved(stack, account, other, orders)).toThrow("a:b:C::other");
});
