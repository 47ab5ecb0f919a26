/**
 * The arguments that define a webhook at the service: the body of its creation, its outputs, and
 * what replaces it when it changes, because the API describes no update
 * (docs/api/README.md#other-operations).
 */
export const webhookFields = ["databaseId", "url", "events", "tableId"] as const;

export type WebhookField = (typeof webhookFields)[number];

/** The names of all arguments of a webhook, also of those that the service does not get. */
export const argumentNames = [...webhookFields, "allowUnknownEvents", "allowInsecureUrl"] as const;

export type ArgumentName = (typeof argumentNames)[number];
