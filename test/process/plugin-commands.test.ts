import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { withDirectory } from "../helpers/directory.js";
import { run } from "../helpers/pulumi.js";

const repository = join(__dirname, "../..");

/** Runs a command of a copy of the package, after `change`, with a `pulumi` of these lines on PATH. */
async function runCommand(
  name: "install-plugin" | "plugin-path",
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
    const result = await run(process.execPath, [join(root, "dist/cli/main.js"), name], {
      directory,
      environment: { PATH: bin },
    });
    return { ...result, root };
  });
}

const answering = (text: string) => `case $1 in version) echo ${text};; plugin) echo "[]";; esac`;

describe("pulumi-dbwebhooks plugin-path", () => {
  it("prints the folder of the plugin, also below a path with spaces", async () => {
    const { exitCode, stdout, root } = await runCommand("plugin-path");

    expect([exitCode, stdout]).toEqual([0, `${join(root, "plugin")}\n`]);
  });

  it.each([
    ["is missing", (root: string) => rm(join(root, "plugin"), { recursive: true })],
    [
      "has another version",
      (root: string) => writeFile(join(root, "plugin/schema.json"), '{ "version": "0.0.1" }'),
    ],
  ])("fails with one line where the folder %s, and so does install-plugin", async (_, change) => {
    for (const name of ["plugin-path", "install-plugin"] as const) {
      const { exitCode, stdout, stderr } = await runCommand(name, {
        pulumi: answering("v3.200.0"),
        change,
      });

      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^(There is no plugin|The plugin) in .*Install .*again.*\n$/);
    }
  });
});

describe("pulumi-dbwebhooks install-plugin", () => {
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
  ])("fails with one line where pulumi %s", async (_, pulumi, message) => {
    const { exitCode, stdout, stderr } = await runCommand("install-plugin", {
      ...(pulumi !== undefined && { pulumi }),
    });

    expect([exitCode, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd()).not.toContain("\n");
  });
});

describe("The versions", () => {
  it("of the package, of the plugin's schema and of the plugin are the same", async () => {
    const read = (path: string) => require(join(repository, path)) as { version: string };

    expect(["plugin", "dist-plugin"].map((at) => read(`${at}/schema.json`).version)).toEqual([
      version,
      version,
    ]);
  });
});
