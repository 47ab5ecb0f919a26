import * as pulumi from "@pulumi/pulumi";
import * as dbwebhooks from "pulumi-dbwebhooks";

const config = new pulumi.Config();
const tableIds = config.requireObject<string[]>("tables");

// The resource is named after its table, so that a change of the list does not affect other
// webhooks.
const createWebhook = (tableId: string) =>
  new dbwebhooks.Webhook(tableId, {
    databaseId: "base_abc123",
    tableId,
    // A secret, because the URL of a receiver often holds a token.
    url: config.requireSecret(tableId),
    events: ["record.created", "record.updated", "record.deleted"],
  });

const secretsByTable = Object.fromEntries(
  tableIds.map((tableId) => [tableId, createWebhook(tableId).secret]),
);

// Pulumi marks a record as secret only if the record itself is one. The Automation API, and with it
// pulumi/actions, would treat a plain record of secrets as public.
export const secrets = pulumi.secret(secretsByTable);
