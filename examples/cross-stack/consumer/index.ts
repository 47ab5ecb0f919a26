import * as pulumi from "@pulumi/pulumi";

const producer = new pulumi.StackReference(`organization/dbwebhooks-producer/${pulumi.getStack()}`);

// The whole text is a secret, because it contains one.
export const receiverEnv = pulumi.interpolate`ORDERS_WEBHOOK_SECRET=${producer.requireOutput("ordersSecret")}`;
