import { Webhook } from "standardwebhooks";
import type { StoredWebhook } from "../data/webhook-store.js";
import type { StoredEvent } from "./event.js";

/** What is sent to a receiver in one attempt. */
export interface Notification {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes and signs the notification of an event. */
export function writeNotification(
  event: StoredEvent,
  { id: webhookId, secret, url }: Pick<StoredWebhook, "id" | "secret" | "url">,
  attempt: number,
  sentAt: number,
): Notification {
  const { id, type, timestamp, data, databaseId } = event;
  const metadata = {
    webhookId,
    organizationId: "org_local",
    baseId: databaseId,
    attempt,
    source: "local-service",
  };
  const body = JSON.stringify({ id, type, timestamp, data, metadata });
  const sentDate = new Date(sentAt);
  return {
    url,
    headers: {
      "content-type": "application/json",
      "user-agent": "pulumi-dbwebhooks-local-service",
      // The time of the attempt: receivers refuse timestamps that are over five minutes old.
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(sentAt / 1000)),
      "webhook-signature": new Webhook(secret).sign(id, sentDate, body),
    },
    body,
  };
}
