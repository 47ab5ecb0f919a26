import { createReceiver } from "./receiver.ts";
import { watchSecrets } from "./secrets.ts";

const port = Number(process.env.PORT ?? 9000);
const [secretsFile] = process.argv.slice(2);
if (secretsFile === undefined) {
  process.stderr.write("Usage: node index.ts FILE, where FILE holds the signing secrets.\n");
  process.exit(2);
}

const secrets = watchSecretsOrExit(secretsFile);
const server = createReceiver({
  secrets,
  onEvent: ({ id, type, data }) => {
    process.stdout.write(`${type} ${id} ${JSON.stringify(data)}\n`);
  },
});
const count = secrets().length;
server.on("error", ({ message }) => exitWith(`The receiver cannot listen: ${message}`));
server.listen(port, "127.0.0.1", () => {
  process.stdout.write(`Listening at http://127.0.0.1:${port} with ${count} secret(s)\n`);
});

function watchSecretsOrExit(file: string) {
  try {
    return watchSecrets(file);
  } catch (error) {
    return exitWith((error as Error).message);
  }
}

function exitWith(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
