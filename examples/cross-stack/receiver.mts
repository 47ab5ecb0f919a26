/** `node receiver.mts [KEY_FILE] [ENV_FILE]`: verifies notifications with the secret in an encrypted .env. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { parseEnv } from "node:util";
import { armor, Decrypter } from "age-encryption";
import { Webhook } from "standardwebhooks";

const [keyFile = "receiver.key", envFile = "receiver.env.age"] = process.argv.slice(2);
const decrypter = new Decrypter();
decrypter.addIdentity((await readFile(keyFile, "utf8")).trim());
const encrypted = armor.decode(await readFile(envFile, "utf8"));
// From here on the secret is plaintext, but only in memory.
const env = parseEnv(await decrypter.decrypt(encrypted, "text"));
const webhook = new Webhook(env.ORDERS_WEBHOOK_SECRET ?? "");

createServer(async (request, response) => {
  const rawBody = await text(request);
  try {
    webhook.verify(rawBody, request.headers as Record<string, string>);
    process.stdout.write(
      `Verified: ${rawBody.length} bytes, event ${request.headers["webhook-id"]}\n`,
    );
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(Number(process.env.PORT ?? 9000), "127.0.0.1");
