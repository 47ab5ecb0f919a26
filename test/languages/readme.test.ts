import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { withDirectory } from "../helpers/directory.js";
import { followGuide } from "../helpers/guide.js";
import { packInto } from "../helpers/package.js";
import { stackEnvironment } from "../helpers/pulumi.js";

const repository = join(__dirname, "../..");
const packageAdd = join(repository, "test/helpers/languages/package-add.mts");

/** The commands of a README as this machine needs them. */
function adaptedTo(language: string): (commands: string) => string {
  const standIn = `'${process.execPath}' '${packageAdd}' ${language}`;
  const real = /^pulumi package add node_modules\/.*$/m;
  return (commands) =>
    inject("hasPackageAdd")
      ? commands
      : commands
          .replace(real, standIn)
          // The host that can be built here does not know the option virtualenv.
          .replace(/^(?=export )/m, language === "python" ? ". venv/bin/activate\n" : "");
}

describe.each(["python", "go"])("The README of examples/%s", (language) => {
  it("leads from an empty directory to a stored secret, and shows what it says", async () => {
    const page = await readFile(join(repository, `examples/${language}/README.md`), "utf8");
    await withDirectory(async (directory) => {
      await withDirectory(async (packed) => {
        await followGuide(`${page}\n\`\`\`sh\npulumi destroy --yes --remove\n\`\`\`\n`, {
          directory,
          environment: await stackEnvironment(directory),
          tarball: await packInto(packed),
          adapt: adaptedTo(language),
        });
      });
    });
    expect.hasAssertions();
  });
});
