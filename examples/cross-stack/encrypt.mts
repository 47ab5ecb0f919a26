/** `node encrypt.mts PUBLIC_KEY`: encrypts standard input for the owner of the key. */
import { text } from "node:stream/consumers";
import { armor, Encrypter } from "age-encryption";

const [publicKey = ""] = process.argv.slice(2);
const plaintext = await text(process.stdin);
if (plaintext.trim() === "") {
  // The command before this one in the pipe has failed and printed the reason.
  process.stderr.write("Nothing to encrypt.\n");
  process.exit(1);
}
const encrypter = new Encrypter();
encrypter.addRecipient(publicKey);
process.stdout.write(armor.encode(await encrypter.encrypt(plaintext)));
