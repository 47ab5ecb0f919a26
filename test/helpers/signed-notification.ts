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

// 15 bytes.
const base64 = "A".repeat(20);

/**
 * What no receiver may accept as a secret, because a lenient decoder of base64 makes a key of it.
 */
export const invalidEntries = [
  "[secret]",
  "[object Object]",
  "whsec_",
  "whsec_[secret]",
  // Too short for a key.
  "whsec_null",
  `whsec_${base64}`,
  // Without padding, with wrong padding, with bits that the padding cuts off, and of the alphabet
  // for URLs.
  `whsec_${base64}AAA`,
  `whsec_${base64}AAAAA===`,
  `whsec_${base64}AAF=`,
  `whsec_${base64}AA-_`,
  `${base64}AAAA`,
  // After a byte order mark.
  `\uFEFFwhsec_${base64}AAAA`,
];

/** Bodies that are no event, although their signature matches. */
export const invalidBodies = [
  "",
  "[]",
  "null",
  '{"id":"","type":"record.created"}',
  '{"id":"evt_2"}',
  '{"id":"evt_2","type":""}',
  '{"id":"evt_2","type":7}',
  '\uFEFF{"id":"evt_2","type":"record.created"}',
];

const id = "evt_1";
const event = JSON.stringify({ id, type: "record.created", data: {} });

/** Sends a body to a receiver, signed with a secret, and returns the status of the response. */
export async function statusOfSigned(port: number, secret: string, body = event): Promise<number> {
  const headers = signedHeaders(secret, { id, body });
  return (await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body })).status;
}
