import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { version } from "../../package.json";
import { runCli } from "../helpers/cli.ts";
import { repository, temporaryDirectory } from "../helpers/directory.ts";

const plugin = join(repository, "plugin");

/** Returns a folder for PATH, whose `pulumi` is this script. */
async function folderWithPulumi(script: string): Promise<string> {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  await writeFile(join(path, "pulumi"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

it("plugin-path prints the directory of the plugin", async () => {
  expect(await runCli(["plugin-path"])).toMatchObject({ exitCode: 0, stdout: `${plugin}\n` });
});

it("install-plugin makes Pulumi install this plugin, also in place of another build of the same version", async () => {
  const PATH = await folderWithPulumi(`printf '%s\\n' "$@" > "$PATH/args"`);

  const { exitCode, stdout } = await runCli(["install-plugin"], { PATH });

  expect(exitCode).toBe(0);
  expect(stdout).toBe(`The plugin dbwebhooks ${version} is installed.\n`);
  const args = (await readFile(join(PATH, "args"), "utf8")).split("\n");
  expect(args.slice(0, 5)).toEqual(["plugin", "install", "resource", "dbwebhooks", version]);
  expect(args[args.indexOf("--file") + 1]).toBe(plugin);
  expect(args).toContain("--reinstall");
});

it("install-plugin fails when there is no pulumi on PATH", async () => {
  // A directory without a program of this name.
  const { exitCode, stderr } = await runCli(["install-plugin"], { PATH: plugin });

  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^There is no pulumi on PATH\..*\n$/);
});

it("install-plugin fails with the last line of Pulumi, without control characters", async () => {
  const failing = `printf 'a line\\nerror: \\033]0;title\\007disk full\\n' >&2; exit 255`;
  const PATH = await folderWithPulumi(failing);

  const { exitCode, stdout, stderr } = await runCli(["install-plugin"], { PATH });

  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(/^"pulumi plugin install" failed: error: \P{Cc}*disk full\n$/u);
});
