import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inject, it } from "vitest";
import { repository, withDirectory } from "../helpers/directory.js";
import { followGuide } from "../helpers/guide.js";
import { packInto } from "../helpers/package.js";
import { stackEnvironment } from "../helpers/pulumi.js";

const packageAdd = join(repository, "test/helpers/languages/package-add.mts");

/** Adapts the commands of a README to the language hosts of this machine. */
function adaptedTo(language: string): (commands: string) => string {
  const standIn = `'${process.execPath}' '${packageAdd}' ${language}`;
  const real = /^pulumi package add node_modules\/.*$/m;
  return (commands) =>
    inject("hasPackageAdd")
      ? commands
      : commands
          .replace(real, standIn)
          // The host that can be built here ignores the option virtualenv.
          .replace(/^(?=export )/m, language === "python" ? ". venv/bin/activate\n" : "");
}

it.each(["python", "go"])(
  "The README of examples/%s leads to a stored secret",
  async (language) => {
    const page = await readFile(join(repository, `examples/${language}/README.md`), "utf8");
    await withDirectory(async (directory) => {
      await followGuide(page, {
        directory,
        environment: await stackEnvironment(directory),
        tarball: await packInto(directory),
        adapt: adaptedTo(language),
      });
    });
  },
);
