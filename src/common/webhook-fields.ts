/**
 * The arguments that the service gets: the database in the path of a creation, the others in its
 * body. They are outputs too, and a change of one replaces the webhook, because the API describes
 * no update (docs/api/README.md#other-operations).
 */
export const webhookFields = ["databaseId", "url", "events", "tableId"] as const;

export type WebhookField = (typeof webhookFields)[number];

/** Whether the service gets an argument. */
export function isWebhookField(name: string): name is WebhookField {
  return (webhookFields as readonly string[]).includes(name);
}

/** The names of all arguments of a webhook, also of those that the service does not get. */
export const argumentNames = [...webhookFields, "allowUnknownEvents", "allowInsecureUrl"] as const;

export type ArgumentName = (typeof argumentNames)[number];
