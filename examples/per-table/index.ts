import * as pulumi from "@pulumi/pulumi";
import * as dbwebhooks from "pulumi-dbwebhooks";

const config = new pulumi.Config();
const tableIds = config.requireObject<string[]>("tables");

// Named by its table, so that another table in the list changes no other webhook.
const secretByTable = (tableId: string) => {
  const webhook = new dbwebhooks.Webhook(tableId, {
    databaseId: "base_abc123",
    tableId,
    // A secret, because the URL of a receiver often holds a token.
    url: config.requireSecret(tableId),
    events: ["record.created", "record.updated", "record.deleted"],
  });
  return [tableId, webhook.secret] as const;
};

export const secrets = Object.fromEntries(tableIds.map(secretByTable));
