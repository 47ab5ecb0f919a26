import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory, withDirectory } from "../helpers/directory.js";
import { commandsToSecret, followGuide } from "../helpers/guide.js";
import { packInto, writeFiles } from "../helpers/package.js";
import { stackEnvironment } from "../helpers/pulumi.js";
import { codeBlocks, sectionOf } from "../helpers/readme.js";

const read = (page: string) => readFileSync(join(__dirname, "../..", page), "utf8");
const readme = read("README.md");
const guide = sectionOf(readme, "Quick start");
const textOf = (markdown: string, language: string) =>
  codeBlocks(markdown).find((block) => block.language === language)?.text;

const packed = temporaryDirectory();
let tarball: string;

beforeAll(async () => {
  tarball = await packInto(packed.path);
});
afterAll(() => packed.remove());

describe("The quick start", () => {
  it("takes under ten commands", () => {
    expect(commandsToSecret(guide).length).toBeLessThan(10);
  });

  it("leads from an empty directory to a stored secret, and shows what it says", async () => {
    await withDirectory(async (directory) => {
      await followGuide(`${guide}\n\`\`\`sh\npulumi destroy --yes --remove\n\`\`\`\n`, {
        directory,
        environment: await stackEnvironment(directory),
        tarball,
        write: () =>
          writeFiles(join(directory, "orders"), {
            "Pulumi.yaml": textOf(guide, "yaml"),
            "index.ts": textOf(readme, "ts"),
          }),
      });
    });
  });
});

describe.each(["yaml", "native"])("The README of examples/%s", (example) => {
  const page = read(`examples/${example}/README.md`);

  it("leads from an empty directory to a stack, and shows what it says", async () => {
    await withDirectory(async (directory) => {
      const environment = await stackEnvironment(directory);

      await followGuide(page, { directory, environment, tarball });
    });
  });
});

describe("The README of examples/yaml", () => {
  it("takes at most eight commands to the secret", () => {
    const commands = commandsToSecret(read("examples/yaml/README.md"));

    expect(commands.length, commands.join("\n")).toBeLessThanOrEqual(8);
  });
});
