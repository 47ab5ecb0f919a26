import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";

it("declares one webhook, for the table of the orders", async () => {
  const declared = await mockWebhooks();
  const { ordersSecret } = await import("./index.js");

  // The value of an Output is known only after its resource is registered.
  const secret = await new Promise((resolve) => ordersSecret.apply(resolve));

  expect({ declared, secret }).toMatchObject({
    declared: [{ name: "orders", inputs: { tableId: "tbl_orders" } }],
    secret: "secret-1",
  });
});

/**
 * Lets programs run without Pulumi's engine, and returns the list of the webhooks that they
 * declare.
 */
async function mockWebhooks() {
  const declared: { name: string; inputs: Record<string, unknown> }[] = [];
  await pulumi.runtime.setMocks({
    newResource: ({ type, name, inputs }) => {
      if (type !== "pulumi-nodejs:dynamic/dbwebhooks:Webhook") {
        return { id: name, state: inputs };
      }
      declared.push({ name, inputs });
      const secret = pulumi.secret(`secret-${declared.length}`);
      const state = { ...inputs, baseUrl: "https://tables.example.com", secret };
      return { id: String(declared.length), state };
    },
    call: ({ inputs }) => inputs,
  });
  return declared;
}
