import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../helpers/directory.js";

const script = join(__dirname, "../../tools/ensure-installed.mjs");

/** Runs the script in a clone whose `npm` is this shell script. */
function ensureInstalled(npm: string, { isInstalled = false } = {}) {
  const directory = temporaryDirectory();
  onTestFinished(() => directory.remove());
  const inClone = (name: string) => join(directory.path, name);
  mkdirSync(inClone("bin"));
  writeFileSync(inClone("bin/npm"), `#!/bin/sh\n${npm}\n`);
  chmodSync(inClone("bin/npm"), 0o755);
  writeFileSync(inClone("package-lock.json"), "{}");
  mkdirSync(inClone("node_modules"));
  writeFileSync(inClone("node_modules/.package-lock.json"), "{}");
  utimesSync(inClone(isInstalled ? "package-lock.json" : "node_modules/.package-lock.json"), 1, 1);
  const PATH = [inClone("bin"), dirname(process.execPath)].join(delimiter);
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    cwd: directory.path,
    env: { PATH },
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

it("says in its own words that it installs, and asks npm for errors alone", () => {
  const { status, stdout, stderr } = ensureInstalled('echo noise; echo "npm $*" >&2');

  expect(status).toBe(0);
  expect(stdout).toMatch(/^Installing .*\n.* Node\.js .*\n$/);
  expect(stderr).toBe("npm ci --no-audit --no-fund --loglevel=error\n");
});

it("only builds when what is installed is not older than the lock file", () => {
  const { stdout, stderr } = ensureInstalled('echo "npm $*" >&2', { isInstalled: true });

  expect(stdout).toBe("Building the package.\n");
  expect(stderr).toBe("npm run build --loglevel=error\n");
});

it("shows everything when npm fails, and fails as npm did", () => {
  const { status, stdout, stderr } = ensureInstalled("echo details; echo reason >&2; exit 3");

  expect(status).toBe(3);
  expect(stdout).toMatch(/\ndetails\n$/);
  expect(stderr).toBe("reason\n");
});
