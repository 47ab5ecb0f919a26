import * as pulumi from "@pulumi/pulumi";
import * as dbwebhooks from "pulumi-dbwebhooks";

// The receiver of each table, by the table's id.
const receivers = new pulumi.Config().requireObject<Record<string, string>>("receivers");

// Named by its table, so that a line more or less in the map touches no other webhook.
const secretByTable = ([tableId, url]: [string, string]) => {
  const webhook = new dbwebhooks.Webhook(tableId, {
    databaseId: "base_abc123",
    tableId,
    url,
    events: ["record.created", "record.updated", "record.deleted"],
  });
  return [tableId, webhook.secret] as const;
};

export const secrets = Object.fromEntries(Object.entries(receivers).map(secretByTable));
