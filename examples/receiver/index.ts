import { createReceiver } from "./receiver.ts";

const port = Number(process.env.PORT ?? 9000);
// One signing secret, or several with spaces between them during a rotation.
const secrets = (process.env.WEBHOOK_SECRETS ?? "").split(" ").filter(Boolean);
if (secrets.length === 0) {
  process.stderr.write("Set WEBHOOK_SECRETS to the signing secret of the webhook.\n");
  process.exit(2);
}

const server = createReceiver({
  secrets: () => secrets,
  onEvent: ({ id, type, data }) => {
    process.stdout.write(`${type} ${id} ${JSON.stringify(data)}\n`);
  },
});
server.listen(port, "127.0.0.1", () => {
  process.stdout.write(`Listening at http://127.0.0.1:${port} with ${secrets.length} secret(s)\n`);
});
