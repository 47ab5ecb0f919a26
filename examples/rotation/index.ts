import * as pulumi from "@pulumi/pulumi";
import * as dbwebhooks from "pulumi-dbwebhooks";

// One webhook per name, all with the same arguments. During a rotation there are two.
const names = new pulumi.Config().requireObject<string[]>("names");

const webhooks = names.map(
  (name) =>
    new dbwebhooks.Webhook(name, {
      databaseId: "base_abc123",
      tableId: "tbl_orders",
      url: "https://example.com/hooks/orders",
      events: ["record.created", "record.updated"],
    }),
);

/** All secrets with spaces between them, as the receiver expects them. */
export const secrets = pulumi
  .all(webhooks.map((webhook) => webhook.secret))
  .apply((all) => all.join(" "));
