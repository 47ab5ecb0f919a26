/** `node seal.mts RECIPIENT`: encrypts standard input, so that only the recipient's key opens it. */
import { text } from "node:stream/consumers";
import { armor, Encrypter } from "age-encryption";

const [recipient = ""] = process.argv.slice(2);
const clear = await text(process.stdin);
if (clear.trim() === "") {
  // What stands before this in a pipe has failed, and said why.
  process.stderr.write("Nothing to encrypt.\n");
  process.exit(1);
}
const encrypter = new Encrypter();
encrypter.addRecipient(recipient);
process.stdout.write(armor.encode(await encrypter.encrypt(clear)));
