import { cp, readFile, realpath, utimes } from "node:fs/promises";
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
  await cp(
    join(repository, "tools/ensure-installed.mjs"),
    join(root, "tools/ensure-installed.mjs"),
  );
});

/** Runs a command in which programs in `bin` come before those of the machine. */
const run = (command: string, ...args: string[]) => {
  const environment = { PATH: [join(root, "bin"), process.env.PATH].join(delimiter) };
  return succeed(command, args, { directory: root, environment });
};

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

it("The packages of another directory are installed if its own lock file has changed", async () => {
  await writeFiles(root, { "bin/npm": `#!/bin/sh\npwd >>"${root}/installed"\n` });
  await run("chmod", "+x", "bin/npm");
  for (const directory of ["tools/checks", "tools/others"]) {
    await writeFiles(join(root, directory), { "package-lock.json": "{}" });
  }
  await writeFiles(root, { "tools/others/node_modules/.package-lock.json": "{}" });

  await run(process.execPath, "tools/ensure-installed.mjs", "tools/others");
  await run(process.execPath, "tools/ensure-installed.mjs", "tools/checks");

  const installed = await readFile(join(root, "installed"), "utf8");
  expect(installed).toBe(`${await realpath(join(root, "tools/checks"))}\n`);
});
