import { spawnSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryDirectory } from "../helpers/directory.js";

const script = join(__dirname, "../../tools/ensure-installed.mjs");

/** Runs the script in a clone whose `npm` is this shell script. */
function ensureInstalled(npm: string, { isInstalled = false } = {}) {
  const { path: cwd, remove } = temporaryDirectory();
  onTestFinished(remove);
  mkdirSync(join(cwd, "node_modules"));
  writeFileSync(join(cwd, "npm"), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
  const files = ["package-lock.json", "node_modules/.package-lock.json"];
  for (const file of files) writeFileSync(join(cwd, file), "{}");
  utimesSync(join(cwd, files[isInstalled ? 0 : 1] ?? ""), 1, 1);
  const PATH = [cwd, dirname(process.execPath)].join(delimiter);
  return spawnSync(process.execPath, [script], { cwd, env: { PATH }, encoding: "utf8" });
}

it.each([
  ["installs", false, /^Installing .*\n.* Node\.js .*\n$/, "ci --no-audit --no-fund"],
  ["only builds where what is installed is new", true, /^Building the package\.\n$/, "run build"],
])("%s, says so, and asks npm for errors alone", (_, isInstalled, words, command) => {
  const { status, stdout, stderr } = ensureInstalled('echo noise; echo "$*" >&2', { isInstalled });

  expect({ status, stderr }).toEqual({ status: 0, stderr: `${command} --loglevel=error\n` });
  expect(stdout).toMatch(words);
});

it("shows everything when npm fails, and fails as npm did", () => {
  const { status, stdout, stderr } = ensureInstalled("echo details; echo reason >&2; exit 3");

  expect({ status, stderr }).toEqual({ status: 3, stderr: "reason\n" });
  expect(stdout).toMatch(/\ndetails\n$/);
});
