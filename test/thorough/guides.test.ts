import { homedir } from "node:os";
import { join } from "node:path";
import { describe, inject, it } from "vitest";
import { succeed } from "../helpers/commands.ts";
import { repository, withDirectory, writeFiles } from "../helpers/directory.ts";
import { withExample } from "../helpers/example.ts";
import { type CommandBlock, commandBlocks, followGuide } from "../helpers/guide.ts";
import { codeBlocks, readPage, sectionOf } from "../helpers/markdown.ts";
import { stackEnvironment } from "../helpers/pulumi.ts";

const examplesPage = readPage("examples/README.md");
const [serveBlock, stackBlock, destroyBlock] = commandBlocks(
  sectionOf(examplesPage, "Run an example"),
).map(toMarkdown);

const [{ commands: crossStackCommands } = { commands: "" }] = commandBlocks(
  sectionOf(examplesPage, "cross-stack"),
);

describe("The commands of a page succeed and print the documented output", () => {
  it.concurrent.each([
    ["basic", "basic"],
    ["per-table", "per-table"],
    ["multi-account", "multi-account"],
    ["cross-stack", "cross-stack/producer"],
    ["receiver", "basic"],
    ["rotation", "rotation"],
  ])("in this repository: %s in examples/README.md, in %s", (heading, directory) =>
    withExample(directory, (example) => followGuide(guideOf(heading), example)),
  );

  it.concurrent.each(["yaml", "python", "go"])(
    "in an empty directory: %s in examples/README.md",
    (name) =>
      withDirectory(async (directory) => {
        const environment = await stackEnvironment(directory);
        const adapt = adaptedTo(name);
        await followGuide(guideOf("yaml, python, go"), { directory, environment, adapt });
      }),
  );

  it("in a clone: README with its quick start and the real service", async () => {
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
    });
  });
});

/**
 * The commands of an example between those that all examples have in common. Where an example
 * starts the service in its own way, that is the first block that does so.
 */
function guideOf(heading: string): string {
  const blocks = commandBlocks(sectionOf(examplesPage, heading));
  const at = blocks.findIndex(({ commands }) => commands.includes(" serve"));
  const before = at === -1 ? [serveBlock] : blocks.slice(0, at + 1).map(toMarkdown);
  return [...before, stackBlock, ...blocks.slice(at + 1).map(toMarkdown), destroyBlock].join("");
}

function toMarkdown({ commands, output }: CommandBlock): string {
  const documented = output === "" ? "" : `\`\`\`text\n${output}\`\`\`\n`;
  return `\`\`\`sh\n${commands}\`\`\`\n${documented}`;
}

/** Adapts the commands of an example to its language, and to the language hosts of this machine. */
function adaptedTo(name: string): (commands: string) => string {
  const packageAdd = join(repository, "test/helpers/languages/package-add.mts");
  const standIn = `'${process.execPath}' '${packageAdd}' ${name}`;
  const packageAddLine = /^pulumi package add dbwebhooks$/m;
  // The host that can be built here ignores the option virtualenv. The terminal of `pulumi up`
  // begins with export.
  const activate = name === "python" ? ". venv/bin/activate\n" : "";
  return (commands) => {
    const ofExample = commands.replace("EXAMPLE=python", `EXAMPLE=${name}`);
    if (name === "yaml") {
      const withConsumer = crossStackCommands.replaceAll("../consumer", "consumer");
      return ofExample
        .replace(packageAddLine, "")
        .replace(/^pulumi up --yes\n/m, () => withConsumer);
    }
    return inject("hasPackageAdd")
      ? ofExample
      : ofExample.replace(packageAddLine, standIn).replace(/^(?=export )/m, activate);
  };
}
