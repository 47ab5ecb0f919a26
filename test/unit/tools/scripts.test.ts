import { cp, readFile, utimes } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { succeed } from "../../helpers/commands.ts";
import { repository, temporaryDirectory, writeFiles } from "../../helpers/directory.ts";

// Each test has a repository of its own, with the scripts of this one.
let root: string;

beforeEach(async () => {
  const directory = temporaryDirectory();
  root = directory.path;
  onTestFinished(() => directory.remove());
  for (const script of ["version.mts", "versioned-files.mts", "ensure-installed.mjs"]) {
    await cp(join(repository, "tools", script), join(root, "tools", script));
  }
});

/** Runs a command in which programs in `bin` come before those of the machine. */
const run = (command: string, ...args: string[]) => {
  const environment = { PATH: [join(root, "bin"), process.env.PATH].join(delimiter) };
  return succeed(command, args, { directory: root, environment });
};

it("A new version is written everywhere in a file, and the file is staged", async () => {
  const page = (version: string) =>
    `dbwebhooks-${version}.tgz\ndbwebhooks-v${version}-linux-amd64.tar.gz\nanother-0.1.0.tgz\n`;
  const files = { "package.json": { version: "0.2.0-rc.1" }, "README.md": page("0.1.0") };
  await writeFiles(root, files);
  await run("git", "init", "--quiet");

  await run(process.execPath, "tools/version.mts");

  expect((await run("git", "show", ":README.md")).stdout).toBe(page("0.2.0-rc.1"));
});

it.each<[packages: string, installedAt: number | undefined, isInstalled: boolean]>([
  ["are not installed yet", undefined, true],
  ["were installed before it changed", 1, true],
  ["were installed after it changed", 3, false],
])("The packages of a lock file are installed if they %s", async (_, installedAt, isInstalled) => {
  const changes = { "package-lock.json": 2, "node_modules/.package-lock.json": installedAt };
  await writeFiles(root, { "bin/npm": `#!/bin/sh\necho "$@" >npm-was-called\n` });
  await run("chmod", "+x", "bin/npm");
  for (const [file, changedAt] of Object.entries(changes)) {
    if (changedAt !== undefined) {
      await writeFiles(root, { [file]: "{}" });
      await utimes(join(root, file), changedAt, changedAt);
    }
  }

  await run(process.execPath, "tools/ensure-installed.mjs");

  const call = await readFile(join(root, "npm-was-called"), "utf8").catch(() => "");
  expect(call.startsWith("ci ")).toBe(isInstalled);
});
