import * as pulumi from "@pulumi/pulumi";
import * as dbwebhooks from "pulumi-dbwebhooks";

const config = new pulumi.Config();
const id = config.get("webhookId");

const orders = new dbwebhooks.Webhook("orders", {
  databaseId: "base_abc123",
  url: "https://example.com/hooks/orders",
  events: ["record.created", "record.updated"],
  // Only the first `pulumi up` needs this.
  adopt: id === undefined ? undefined : { id, secret: config.requireSecret("webhookSecret") },
});

export const ordersSecret = orders.secret;
