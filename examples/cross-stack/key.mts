/** `node key.mts [FILE]`: writes a new private key to a new file, and prints its public key. */
import { writeFile } from "node:fs/promises";
import { generateX25519Identity, identityToRecipient } from "age-encryption";

const [file = "receiver.key"] = process.argv.slice(2);
const key = await generateX25519Identity();
await writeFile(file, `${key}\n`, { mode: 0o600, flag: "wx" });
process.stdout.write(`${await identityToRecipient(key)}\n`);
