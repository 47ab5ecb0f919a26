import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withDirectory } from "../helpers/directory.js";
import { run } from "../helpers/pulumi.js";

const repository = join(__dirname, "../..");

type Command = "install-plugin" | "plugin-path";

/** Runs commands of a copy of the package, after `change`, with a `pulumi` of these lines on PATH. */
async function runCommands(
  names: readonly Command[],
  { pulumi, change }: { pulumi?: string; change?: (root: string) => Promise<void> } = {},
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
    const options = { directory, environment: { PATH: bin } };
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

it.each([
  ["is missing", (root: string) => rm(join(root, "plugin"), { recursive: true })],
  [
    "has another version",
    (root: string) => writeFile(join(root, "plugin/schema.json"), '{ "version": "0.0.1" }'),
  ],
])("plugin-path and install-plugin fail with one line where the folder %s", async (_, change) => {
  const pulumi = answering("v3.200.0");

  const { results } = await runCommands(["plugin-path", "install-plugin"], { pulumi, change });

  for (const { exitCode, stdout, stderr } of results) {
    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^(There is no plugin|The plugin) in .*Install .*again.*\n$/);
  }
});

it.each([
  ["is missing", undefined, /There is no pulumi on PATH/],
  ["is too old", answering("v3.199.0"), /3\.200 or newer, and pulumi on PATH is v3\.199\.0/],
  ["is something else", answering("hello"), /prints no version/],
  [
    "cannot install it",
    `[ "$2" = install ] && { echo 'error: no space left on device' >&2; exit 255; }
${answering("v3.200.0")}`,
    /"pulumi plugin install" failed: error: no space left on device/,
  ],
])("install-plugin fails with one line where pulumi %s", async (_, pulumi, message) => {
  const options = pulumi === undefined ? {} : { pulumi };

  const { results } = await runCommands(["install-plugin"], options);

  expect(results).toMatchObject([
    { exitCode: 1, stdout: "", stderr: expect.stringMatching(message) },
  ]);
  expect(results[0]?.stderr.trimEnd()).not.toContain("\n");
});
