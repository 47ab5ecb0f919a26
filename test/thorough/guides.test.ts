import { homedir } from "node:os";
import { join } from "node:path";
import { describe, inject, it } from "vitest";
import { succeed } from "../helpers/commands.ts";
import { repository, withDirectory, writeFiles } from "../helpers/directory.ts";
import { withExample } from "../helpers/example.ts";
import { followGuide } from "../helpers/guide.ts";
import { codeBlocks, readPage, sectionOf } from "../helpers/markdown.ts";
import { stackEnvironment } from "../helpers/pulumi.ts";

const readmeOf = (example: string) => readPage(`examples/${example}/README.md`);

describe("The commands of a README succeed and print the documented output", () => {
  it.concurrent.each(["basic", "per-table", "multi-account", "cross-stack", "rotation"])(
    "in this repository: README of examples/%s",
    (name) => withExample(name, (example) => followGuide(readmeOf(name), example)),
  );

  it.concurrent.each(["yaml", "python", "go"])(
    "in an empty directory: README of examples/%s",
    (name) =>
      withDirectory(async (directory) => {
        const environment = await stackEnvironment(directory);
        const adapt = adaptedTo(name);
        await followGuide(readmeOf(name), { directory, environment, adapt });
      }),
  );

  it("in a clone: README with its quick start and the real service, and then README of examples/receiver", async () => {
    const readme = readPage("README.md");
    const guide = sectionOf(readme, "Quick start") + sectionOf(readme, "Use the real service");
    const destroy = "\n```sh\npulumi destroy --yes --remove\n```\n";
    const textOf = (markdown: string, language: string) =>
      codeBlocks(markdown).find((block) => block.language === language)?.text;
    await withDirectory(async (home) => {
      const clone = join(home, "clone");
      // It has what is committed.
      await succeed("git", ["clone", "--quiet", repository, clone], { directory: home });
      await writeFiles(home, { passphrase: "own" });
      const environment = {
        ...(await stackEnvironment(home)),
        HOME: home,
        npm_config_cache: process.env.npm_config_cache ?? join(homedir(), ".npm"),
      };
      await followGuide(guide + destroy, {
        directory: clone,
        environment: {
          ...environment,
          PULUMI_CONFIG_PASSPHRASE_FILE: join(home, "passphrase"),
          PULUMI_SKIP_CONFIRMATIONS: "true",
        },
        write: () =>
          writeFiles(join(home, "orders"), {
            "Pulumi.yaml": textOf(guide, "yaml"),
            "index.ts": textOf(readme, "ts"),
            "backend/.keep": "",
          }),
        adapt: (commands) =>
          commands
            // The login of a user who has a backend, and the key that Pulumi asks for.
            .replace(/^unset .*$/m, "$&\npulumi login file://backend")
            .replace(/(?<=--secret dbwebhooks:apiKey)$/m, " local-api-key")
            .replace("https://tables.fillout.com", "http://127.0.0.1:8787"),
      });
      await followGuide(sectionOf(readmeOf("receiver"), "Try it"), {
        directory: join(home, "orders"),
        environment,
        adapt: (commands) =>
          commands
            // The receiver has a terminal of its own.
            .replace(
              /^node receiver.*$/m,
              "$& &\nuntil curl -s http://127.0.0.1:$PORT; do sleep 0.1; done",
            )
            .replace(/^rm -r/m, "kill $!\n$&"),
      });
    });
  });
});

/** Adapts the commands of a README to the language hosts of this machine. */
function adaptedTo(language: string): (commands: string) => string {
  const packageAdd = join(repository, "test/helpers/languages/package-add.mts");
  const standIn = `'${process.execPath}' '${packageAdd}' ${language}`;
  const real = /^pulumi package add dbwebhooks$/m;
  // The host that can be built here ignores the option virtualenv. The terminal of `pulumi up`
  // begins with export.
  const activate = language === "python" ? ". venv/bin/activate\n" : "";
  return (commands) =>
    inject("hasPackageAdd")
      ? commands
      : commands.replace(real, standIn).replace(/^(?=export )/m, activate);
}
