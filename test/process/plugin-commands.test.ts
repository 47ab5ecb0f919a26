import { appendFile, cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { withDirectory } from "../helpers/directory.js";
import { run } from "../helpers/pulumi.js";

const repository = join(__dirname, "../..");

type Command = "install-plugin" | "plugin-path";

/** Runs commands of a copy of the package, after `change`, with a `pulumi` of these lines on PATH. */
async function runCommands(
  names: readonly Command[],
  { pulumi, change }: { pulumi?: string; change?: (root: string) => Promise<unknown> } = {},
) {
  return withDirectory(async (directory) => {
    const root = join(directory, "with spaces/pulumi-dbwebhooks");
    const bin = join(directory, "bin");
    await mkdir(bin);
    await symlink(process.execPath, join(bin, "node"));
    if (pulumi !== undefined) {
      await writeFile(join(bin, "pulumi"), `#!/bin/sh\n${pulumi}\n`, { mode: 0o755 });
    }
    for (const part of ["package.json", "dist", "plugin"]) {
      await cp(join(repository, part), join(root, part), { recursive: true });
    }
    await symlink(join(repository, "node_modules"), join(root, "node_modules"));
    await change?.(root);
    const environment = { PATH: bin, PULUMI_HOME: join(root, "home") };
    const options = { directory, environment };
    const program = join(root, "dist/cli/main.js");
    const results = names.map((name) => run(process.execPath, [program, name], options));
    return { root, results: await Promise.all(results) };
  });
}

const answering = (text: string) => `case $1 in version) echo ${text};; plugin) echo "[]";; esac`;

it("plugin-path prints the folder of the plugin, also below a path with spaces", async () => {
  const { results, root } = await runCommands(["plugin-path"]);

  expect(results).toMatchObject([{ exitCode: 0, stdout: `${join(root, "plugin")}\n` }]);
});

it("plugin-path and install-plugin fail with one line where there is no plugin", async () => {
  const { results } = await runCommands(["plugin-path", "install-plugin"], {
    pulumi: answering("v3.200.0"),
    change: (root) => rm(join(root, "plugin"), { recursive: true }),
  });

  for (const { exitCode, stdout, stderr } of results) {
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^There is no plugin in .*\n$/);
  }
});

it.each([
  ["is missing", undefined, /no pulumi on PATH/],
  ["is too old", answering("v3.199.0"), /3\.200 or newer.* prints v3\.199\.0/],
  ["is something else", answering("hello"), /3\.200 or newer.* prints hello/],
  [
    "cannot install it",
    `[ "$2" = install ] && { printf 'a line\\nerror: \\033]0;title\\007no space\\n' >&2; exit 255; }
${answering("v3.200.0")}`,
    /"pulumi plugin install" failed: error: .*no space/,
  ],
])("install-plugin fails with one clean line where pulumi %s", async (_, pulumi, message) => {
  const options = pulumi === undefined ? {} : { pulumi };

  const { results } = await runCommands(["install-plugin"], options);

  expect(results).toMatchObject([
    { exitCode: 1, stdout: "", stderr: expect.stringMatching(message) },
  ]);
  expect(results[0]?.stderr).toMatch(/^\P{Cc}*\n$/u);
});

describe("install-plugin, where Pulumi has a plugin of this name and version", () => {
  const installed = `home/plugins/resource-dbwebhooks-v${version}`;
  const install = (change: (directory: string) => Promise<unknown>) =>
    runCommands(["install-plugin"], {
      // Installing fails.
      pulumi: "case $1 in version) echo v3.200.0;; *) exit 1;; esac",
      change: async (root) => {
        const directory = join(root, installed);
        await cp(join(root, "plugin"), directory, { recursive: true });
        await change(directory);
      },
    });

  it("installs nothing when it has the same files", async () => {
    const { results } = await install(async () => {});

    expect(results).toMatchObject([
      { exitCode: 0, stdout: expect.stringMatching(/installed already/) },
    ]);
  });

  it.each([
    [
      "has other content",
      "pulumi-resource-dbwebhooks",
      (file: string) => appendFile(file, "// more"),
    ],
    ["lacks a file", "schema.json", (file: string) => rm(file)],
    ["has one more file", "more.js", (file: string) => writeFile(file, "")],
  ])("fails and names the file when it %s", async (_, name, change) => {
    const { results } = await install((directory) => change(join(directory, name)));

    expect(results).toMatchObject([
      {
        exitCode: 1,
        stdout: "",
        stderr: expect.stringMatching(new RegExp(`files differ: ${name}\\. .*plugin rm`)),
      },
    ]);
  });
});
