/** `node seal.mts RECIPIENT`: encrypts standard input for the recipient's key. */
import { text } from "node:stream/consumers";
import { armor, Encrypter } from "age-encryption";

const [recipient = ""] = process.argv.slice(2);
const clear = await text(process.stdin);
if (clear.trim() === "") {
  // The command before this one in the pipe has failed and printed the reason.
  process.stderr.write("Nothing to encrypt.\n");
  process.exit(1);
}
const encrypter = new Encrypter();
encrypter.addRecipient(recipient);
process.stdout.write(armor.encode(await encrypter.encrypt(clear)));
