/** `node receiver.mts [KEY_FILE] [ENV_FILE]`: verifies notifications with the secret in an encrypted .env. */
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { parseEnv } from "node:util";
import { armor, Decrypter } from "age-encryption";
import { Webhook } from "standardwebhooks";

const maxBodyBytes = 1024 * 1024;
const [keyFile = "receiver.key", envFile = "receiver.env.age"] = process.argv.slice(2);
const decrypter = new Decrypter();
decrypter.addIdentity((await readFile(keyFile, "utf8")).trim());
const encrypted = armor.decode(await readFile(envFile, "utf8"));
// From here on the secret is plaintext, but only in memory.
const env = parseEnv(await decrypter.decrypt(encrypted, "text"));
const webhook = new Webhook(env.ORDERS_WEBHOOK_SECRET ?? "");

// Node.js responds with 408 to a request that does not arrive within ten seconds.
const timeouts = { requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };

createServer(timeouts, async (request, response) => {
  try {
    response.writeHead(await receive(request)).end();
  } catch {
    // The connection has failed.
    response.writeHead(400).end();
  }
}).listen(Number(process.env.PORT ?? 9000), "127.0.0.1");

async function receive(request: IncomingMessage): Promise<number> {
  const rawBody = await readBody(request);
  if (rawBody === undefined) {
    return 413;
  }
  try {
    webhook.verify(rawBody, request.headers as Record<string, string>);
  } catch {
    return 401;
  }
  process.stdout.write(
    `Verified: ${rawBody.length} bytes, event ${request.headers["webhook-id"]}\n`,
  );
  return 204;
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) {
      chunks.push(chunk);
    }
  }
  return bytes <= maxBodyBytes ? Buffer.concat(chunks) : undefined;
}
