import { Webhook } from "standardwebhooks";

/** Returns the headers of a notification that a secret signs. */
export function signedHeaders(
  secret: string,
  { id, body, sentAt = new Date() }: { id: string; body: string; sentAt?: Date | undefined },
): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, sentAt, body),
  };
}
