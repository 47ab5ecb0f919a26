import { cp, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { start } from "../helpers/commands.ts";
import { repository, withDirectory, writeFiles } from "../helpers/directory.ts";
import { expectToSurviveFaultyRequests } from "../helpers/faulty-requests.ts";
import { endGroup, receiverPort } from "../helpers/guide.ts";
import { codeBlocks, readPage } from "../helpers/markdown.ts";
import { statusOfSigned } from "../helpers/signed-notification.ts";

const blocks = codeBlocks(readPage("docs/receive-and-verify.md")).map(({ text }) => text);
const oldSecret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const newSecret = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;

it.each([
  { file: "index.ts", command: "node receiver/index.ts" },
  { file: "receiver.py", command: "python receiver/receiver.py" },
  { file: "main.go", command: "go run ." },
])(
  "The receiver $file of docs/receive-and-verify.md survives faulty requests, reads new secrets without a restart, and handles an event once",
  async ({ file, command }) => {
    const port = receiverPort();
    await withDirectory(async (directory) => {
      await cp(join(repository, "examples/receiver"), join(directory, "receiver"), {
        recursive: true,
      });
      const source = await readFile(join(directory, "receiver", file), "utf8");
      await writeFiles(directory, {
        [`receiver/${file}`]: source.replace("9000", port),
        secrets: oldSecret,
      });
      const environment = {
        SECRETS: join(directory, "secrets"),
        npm_config_prefer_offline: "true",
      };
      const commands = blocks.find((text) => text.includes(command)) ?? "false";
      const options = { directory, environment, isGroupLeader: true };
      const receiver = start("bash", ["-euc", commands], options);
      try {
        await expectToSurviveFaultyRequests(Number(port));

        const send = (secret: string) => statusOfSigned(Number(port), secret);
        const before = [await send(oldSecret), await send(newSecret)];
        await writeFiles(directory, { "secrets.next": `whsec_ ${newSecret} ${oldSecret}\n` });
        await rename(join(directory, "secrets.next"), join(directory, "secrets"));
        const during = [await send(oldSecret), await send(newSecret)];
        const withoutId = await statusOfSigned(Number(port), newSecret, "{}");

        expect({ before, during, withoutId }, receiver.output()).toEqual({
          before: [204, 401],
          during: [204, 204],
          withoutId: 400,
        });
        expect(receiver.output().match(/^record\.created evt_1/gm)).toHaveLength(1);
      } finally {
        endGroup(receiver);
        await receiver.result;
      }
    });
  },
);
