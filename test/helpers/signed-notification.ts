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

const id = "evt_1";
const event = JSON.stringify({ id, type: "record.created", data: {} });

/** Sends a body to a receiver, signed with a secret, and returns the status of the response. */
export async function statusOfSigned(port: number, secret: string, body = event): Promise<number> {
  const headers = signedHeaders(secret, { id, body });
  return (await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body })).status;
}
