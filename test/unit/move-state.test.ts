import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { movedToPlugin } from "../../src/cli/move-state.ts";

const project = "urn:pulumi:dev::orders::";
const type = "pulumi-nodejs:dynamic/dbwebhooks:Webhook";
const signature = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const ciphertext = { ...signature, ciphertext: "v1:encrypted" };

const stack = { urn: `${project}pulumi:pulumi:Stack::orders-dev`, type: "pulumi:pulumi:Stack" };
const account = {
  urn: `${project}pulumi:providers:pulumi-nodejs::eu`,
  id: "uuid",
  type: "pulumi:providers:pulumi-nodejs",
  inputs: { "dbwebhooks:apiKey": ciphertext, "dbwebhooks:isExplicit": "true" },
  outputs: { "dbwebhooks:apiKey": ciphertext, "dbwebhooks:isExplicit": "true" },
};
const webhook = (name: string, changes: object = {}) => ({
  urn: `${project}my:index:Team$${type}::${name}`,
  id: "42",
  type,
  inputs: { __provider: "text", databaseId: "base_abc123" },
  outputs: { __provider: "text", databaseId: "base_abc123", secret: ciphertext },
  provider: `${project}pulumi:providers:pulumi-nodejs::default::other`,
  ...changes,
});

function moved(...resources: object[]) {
  const exported = JSON.stringify({ version: 3, deployment: { resources } });
  return JSON.parse(movedToPlugin(exported)).deployment.resources;
}

describe("A state that moves to the plugin", () => {
  it("has the webhooks as the plugin has them, with their numbers and encrypted secrets", () => {
    const [first, provider, orders] = moved(stack, webhook("orders"));

    expect(first).toEqual(stack);
    expect(provider).toMatchObject({
      urn: `${project}pulumi:providers:dbwebhooks::default_${version.replaceAll(".", "_")}`,
      type: "pulumi:providers:dbwebhooks",
      inputs: { version },
    });
    expect(orders).toEqual({
      urn: `${project}my:index:Team$dbwebhooks:index:Webhook::orders`,
      id: "base_abc123/42",
      type: "dbwebhooks:index:Webhook",
      inputs: { databaseId: "base_abc123" },
      outputs: { databaseId: "base_abc123", secret: ciphertext, webhookId: "42" },
      provider: `${provider.urn}::${provider.id}`,
    });
  });

  it("has the accounts of webhooks as providers of the plugin", () => {
    const ofAccount = webhook("orders", { provider: `${account.urn}::uuid` });
    const other = { ...account, urn: `${project}pulumi:providers:pulumi-nodejs::x`, inputs: {} };

    const [, , movedAccount, movedWebhook, untouched] = moved(stack, account, ofAccount, other);

    const urn = `${project}pulumi:providers:dbwebhooks::eu`;
    expect(movedAccount).toEqual({
      urn,
      id: "uuid",
      type: "pulumi:providers:dbwebhooks",
      inputs: { apiKey: ciphertext },
      outputs: { apiKey: ciphertext },
    });
    expect(movedWebhook.provider).toBe(`${urn}::uuid`);
    expect(untouched).toEqual(other);
  });

  it("has what names a webhook with its new name", () => {
    const dependent = { urn: `${project}a:b:C::c`, dependencies: [webhook("orders").urn] };

    const [, , orders, after] = moved(stack, webhook("orders"), dependent);

    expect(after.dependencies).toEqual([orders.urn]);
  });

  it("needs to read the database of a webhook", () => {
    const plaintext = { ...signature, plaintext: '"base_abc123"' };
    const withDatabase = (databaseId: object) =>
      webhook("orders", { outputs: { databaseId, secret: ciphertext } });

    expect(moved(stack, withDatabase(plaintext))[2].id).toBe("base_abc123/42");
    expect(() => moved(stack, withDatabase(ciphertext))).toThrow("--show-secrets");
  });

  it.each([
    ["", "pulumi stack export"],
    ['{"deployment":null}', "pulumi stack export"],
    [JSON.stringify({ deployment: { resources: [stack] } }), "no webhook"],
  ])("is refused for %j", (exported, message) => {
    expect(() => movedToPlugin(exported)).toThrow(message);
  });
});
