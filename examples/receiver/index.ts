import { readFileSync } from "node:fs";
import { createReceiver } from "./receiver.ts";

const port = Number(process.env.PORT ?? 9000);
const [secretsFile] = process.argv.slice(2);
if (secretsFile === undefined) {
  process.stderr.write("Usage: node index.ts FILE, where FILE holds the signing secrets.\n");
  process.exit(2);
}

// Reads the file for each notification, so that a rotation needs no restart: a restart would refuse
// notifications, and would forget which events were handled.
const secrets = () => readFileSync(secretsFile, "utf8").split(/\s+/).filter(Boolean);

const server = createReceiver({
  secrets,
  onEvent: ({ id, type, data }) => {
    process.stdout.write(`${type} ${id} ${JSON.stringify(data)}\n`);
  },
});
const count = secrets().length;
server.listen(port, "127.0.0.1", () => {
  process.stdout.write(`Listening at http://127.0.0.1:${port} with ${count} secret(s)\n`);
});
