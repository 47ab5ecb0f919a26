import * as pulumi from "@pulumi/pulumi";
import * as dbwebhooks from "pulumi-dbwebhooks";

// One webhook each, all with the same arguments. Two of them exist during a rotation.
const generations = new pulumi.Config().requireObject<string[]>("generations");

const webhooks = generations.map(
  (generation) =>
    new dbwebhooks.Webhook(`orders-${generation}`, {
      databaseId: "base_abc123",
      url: "https://example.com/hooks/orders",
      events: ["record.created"],
    }),
);

export const secrets = webhooks.map((webhook) => webhook.secret);
