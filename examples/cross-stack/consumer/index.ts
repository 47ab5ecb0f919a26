import * as pulumi from "@pulumi/pulumi";

const producer = new pulumi.StackReference(`organization/dbwebhooks-producer/${pulumi.getStack()}`);

const ordersSecret = producer.requireOutput("ordersSecret").apply((secret: unknown) => {
  // Without the key of the producer's secrets, Pulumi passes an empty object, and does not fail.
  if (typeof secret !== "string") {
    throw new Error(
      "The output ordersSecret of dbwebhooks-producer is no text: Pulumi cannot decrypt it. " +
        "Give this stack access to the secrets of dbwebhooks-producer.",
    );
  }
  return secret;
});

// The whole text is a secret, because it contains one.
export const receiverEnv = pulumi.interpolate`ORDERS_WEBHOOK_SECRET=${ordersSecret}`;
