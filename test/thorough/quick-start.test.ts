import { join } from "node:path";
import { it } from "vitest";
import { withDirectory, writeFiles } from "../helpers/directory.js";
import { followGuide } from "../helpers/guide.js";
import { codeBlocks, readPage, sectionOf } from "../helpers/markdown.js";
import { packInto } from "../helpers/package.js";
import { stackEnvironment } from "../helpers/pulumi.js";

const readme = readPage("README.md");
const guide = sectionOf(readme, "Quick start") + sectionOf(readme, "Use the real service");
const destroy = "\n```sh\npulumi destroy --yes --remove\n```\n";
const textOf = (markdown: string, language: string) =>
  codeBlocks(markdown).find((block) => block.language === language)?.text;

it("The README leads from an empty directory to a stored secret, and on to a stack for another service", async () => {
  await withDirectory(async (directory) => {
    await writeFiles(directory, { passphrase: "own", "backend/.keep": "" });
    const environment = {
      ...(await stackEnvironment(directory)),
      PULUMI_CONFIG_PASSPHRASE_FILE: join(directory, "passphrase"),
      PULUMI_SKIP_CONFIRMATIONS: "true",
    };
    await followGuide(guide + destroy, {
      directory,
      environment,
      tarball: await packInto(directory),
      write: () =>
        writeFiles(join(directory, "orders"), {
          "Pulumi.yaml": textOf(guide, "yaml"),
          "index.ts": textOf(readme, "ts"),
        }),
      adapt: (commands) =>
        commands
          // The tarball above is its result.
          .replace("npm ci && npm pack --pack-destination ~", "true")
          // The login of a user who has a backend, and the key that Pulumi asks for.
          .replace(/^unset .*$/m, `$&\npulumi login 'file://${join(directory, "backend")}'`)
          .replace(/(?<=--secret dbwebhooks:apiKey)$/m, " local-api-key")
          .replace("https://tables.fillout.com", "http://127.0.0.1:8787"),
    });
  });
});
