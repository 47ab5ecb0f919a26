import * as pulumi from "@pulumi/pulumi";
import * as dbwebhooks from "pulumi-dbwebhooks";

const config = new pulumi.Config();
const tableIds = config.requireObject<string[]>("tables");

// The resource is named after its table, so that a change of the list does not affect other webhooks.
const createWebhook = (tableId: string) =>
  new dbwebhooks.Webhook(tableId, {
    databaseId: "base_abc123",
    tableId,
    // A secret, because the URL of a receiver often holds a token.
    url: config.requireSecret(tableId),
    events: ["record.created", "record.updated", "record.deleted"],
  });

export const secrets = Object.fromEntries(
  tableIds.map((tableId) => [tableId, createWebhook(tableId).secret]),
);
