import { join } from "node:path";
import { armor, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { it } from "vitest";
import { start } from "../helpers/commands.ts";
import { repository, withDirectory, writeFiles } from "../helpers/directory.ts";
import { expectToSurviveFaultyRequests } from "../helpers/faulty-requests.ts";
import { endGroup, receiverPort } from "../helpers/guide.ts";

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;

it("examples/receiver survives faulty requests and responds to them", async () => {
  await withDirectory((directory) =>
    expectProgramToSurvive("examples/receiver/index.ts", directory, { WEBHOOK_SECRETS: secret }),
  );
});

it("examples/cross-stack survives faulty requests and responds to them", async () => {
  const key = await generateX25519Identity();
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(key));
  const settings = armor.encode(await encrypter.encrypt(`ORDERS_WEBHOOK_SECRET=${secret}\n`));

  await withDirectory(async (directory) => {
    await writeFiles(directory, { "receiver.key": key, "receiver.env.age": settings });
    await expectProgramToSurvive("examples/cross-stack/receiver.mts", directory);
  });
});

async function expectProgramToSurvive(
  program: string,
  directory: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const port = receiverPort();
  const options = {
    directory,
    environment: { ...environment, PORT: port },
    isGroupLeader: true,
  };
  const receiver = start("node", [join(repository, program)], options);
  try {
    await expectToSurviveFaultyRequests(Number(port));
  } finally {
    endGroup(receiver);
    await receiver.result;
  }
}
