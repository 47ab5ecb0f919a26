import * as pulumi from "@pulumi/pulumi";

const producer = new pulumi.StackReference(`organization/dbwebhooks-producer/${pulumi.getStack()}`);

// A secret as a whole, because a part of it is one.
export const receiverEnv = pulumi.interpolate`ORDERS_WEBHOOK_SECRET=${producer.requireOutput("ordersSecret")}`;
