import { createReceiver } from "./receiver.ts";
import { readSecrets } from "./secrets.ts";

const port = Number(process.env.PORT ?? 9000);
const secrets = await readSecrets(process.env, process.stdin).catch((error: Error) => {
  // Wrong usage: print the message without a stack trace.
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
});

const server = createReceiver({
  secrets: () => secrets,
  onEvent: ({ id, type, data }) => {
    process.stdout.write(`${type} ${id} ${JSON.stringify(data)}\n`);
  },
});
server.listen(port, "127.0.0.1", () => {
  process.stdout.write(`Listening at http://127.0.0.1:${port} with ${secrets.length} secret(s)\n`);
});
