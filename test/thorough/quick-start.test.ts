import { join } from "node:path";
import { expect, it } from "vitest";
import { withDirectory } from "../helpers/directory.js";
import { commandsToSecret, followGuide } from "../helpers/guide.js";
import { readPage } from "../helpers/markdown.js";
import { packInto, writeFiles } from "../helpers/package.js";
import { stackEnvironment } from "../helpers/pulumi.js";
import { codeBlocks, sectionOf } from "../helpers/readme.js";

const readme = readPage("README.md");
const guide = sectionOf(readme, "Quick start");
const textOf = (markdown: string, language: string) =>
  codeBlocks(markdown).find((block) => block.language === language)?.text;

it("The quick start leads from an empty directory to a stored secret in under ten commands", async () => {
  expect(commandsToSecret(guide).length).toBeLessThan(10);
  expect(commandsToSecret(readPage("examples/yaml/README.md")).length).toBeLessThan(9);
  await withDirectory(async (directory) => {
    await followGuide(`${guide}\n\`\`\`sh\npulumi destroy --yes --remove\n\`\`\`\n`, {
      directory,
      environment: await stackEnvironment(directory),
      tarball: await packInto(directory),
      write: () =>
        writeFiles(join(directory, "orders"), {
          "Pulumi.yaml": textOf(guide, "yaml"),
          "index.ts": textOf(readme, "ts"),
        }),
    });
  });
});
