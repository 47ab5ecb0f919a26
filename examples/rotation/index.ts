import * as pulumi from "@pulumi/pulumi";
import * as dbwebhooks from "pulumi-dbwebhooks";

// One webhook per entry, all with the same arguments. During a rotation there are two.
const generations = new pulumi.Config().requireObject<string[]>("generations");

const webhooks = generations.map(
  (generation) =>
    new dbwebhooks.Webhook(`orders-${generation}`, {
      databaseId: "base_abc123",
      url: "https://example.com/hooks/orders",
      events: ["record.created"],
    }),
);

/** All secrets with spaces between them, as the receiver expects them. */
export const secrets = pulumi
  .all(webhooks.map((webhook) => webhook.secret))
  .apply((all) => all.join(" "));
