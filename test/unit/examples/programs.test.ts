import * as pulumi from "@pulumi/pulumi";
import { expect, it, onTestFinished } from "vitest";
import { wrapped } from "../../helpers/builders.ts";
import { collectUnhandledErrors } from "../../helpers/errors.ts";

it("examples/per-table declares its URLs as secrets, and exports one secret", async () => {
  const declared = await mockEngine({
    tables: '["tbl_orders","tbl_invoices"]',
    tbl_orders: "https://example.com/hooks/orders",
    tbl_invoices: "https://example.com/hooks/invoices",
  });

  const { secrets } = await import("../../../examples/per-table/index.ts");

  expect(await stored(secrets)).toEqual(
    wrapped({ tbl_orders: "secret of tbl_orders", tbl_invoices: "secret of tbl_invoices" }),
  );
  expect(declared).toMatchObject({
    tbl_orders: { inputs: { url: wrapped("https://example.com/hooks/orders") } },
    tbl_invoices: { inputs: { url: wrapped("https://example.com/hooks/invoices") } },
  });
});

it("examples/rotation exports the secrets of both webhooks as one secret", async () => {
  await mockEngine({ names: '["orders","orders-2"]' });

  const { secrets } = await import("../../../examples/rotation/index.ts");

  expect(await stored(secrets)).toEqual(wrapped("secret of orders secret of orders-2"));
});

it("examples/multi-account declares each webhook in its own account", async () => {
  const declared = await mockEngine({
    usBaseUrl: "https://us.example.com",
    usApiKey: "us-key",
    euBaseUrl: "https://eu.example.com",
    euApiKey: "eu-key",
  });

  const { usSecret, euSecret } = await import("../../../examples/multi-account/index.ts");

  expect(await stored(usSecret)).toEqual(wrapped("secret of orders-us"));
  expect(await stored(euSecret)).toEqual(wrapped("secret of orders-eu"));
  const account = (region: string) => ({
    "dbwebhooks:baseUrl": `https://${region}.example.com`,
    "dbwebhooks:apiKey": wrapped(`${region}-key`),
  });
  const webhook = (region: string) => ({
    inputs: { databaseId: `base_${region}` },
    provider: expect.stringContaining(`::${region}::`),
  });
  expect(declared).toMatchObject({
    us: { inputs: account("us") },
    eu: { inputs: account("eu") },
    "orders-us": webhook("us"),
    "orders-eu": webhook("eu"),
  });
});

it("examples/cross-stack fails if the secret of its producer is no text", async () => {
  // Pulumi passes an empty object in place of a secret that it cannot decrypt.
  await mockEngine({}, { ordersSecret: {} });
  const errors = collectUnhandledErrors();

  await import("../../../examples/cross-stack/consumer/index.ts");

  const message = expect.stringContaining("ordersSecret");
  await expect.poll(() => errors).toContainEqual(expect.objectContaining({ message }));
});

/**
 * Lets programs run with this configuration and without Pulumi's engine, and returns the resources
 * that they declare, by name.
 *
 * @param outputs The outputs of each stack that a program references.
 */
async function mockEngine(config: Readonly<Record<string, string>>, outputs?: object) {
  const declared: Record<string, pulumi.runtime.MockResourceArgs> = {};
  const ofProject = Object.entries(config).map(([key, value]) => [`project:${key}`, value]);
  pulumi.runtime.setAllConfig(Object.fromEntries(ofProject));
  onTestFinished(() => pulumi.runtime.setAllConfig({}));
  await pulumi.runtime.setMocks({
    newResource: (resource) => {
      const { name, inputs } = resource;
      declared[name] = resource;
      const secret = pulumi.secret(`secret of ${name}`);
      return { id: "1", state: { ...inputs, secret, outputs } };
    },
    call: ({ inputs }) => inputs,
  });
  return declared;
}

/** Returns the value of an output as Pulumi stores it: wrapped if it is a secret. */
async function stored<Value>(output: pulumi.Output<Value>) {
  const value = await new Promise((resolve) => output.apply(resolve));
  return (await pulumi.isSecret(output)) ? wrapped(value) : value;
}
