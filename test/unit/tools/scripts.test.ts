import {
  access,
  chmod,
  constants,
  cp,
  readdir,
  readFile,
  realpath,
  symlink,
  utimes,
} from "node:fs/promises";
import { delimiter, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { version } from "../../../package.json";
import { run, succeed } from "../../helpers/commands.ts";
import { repository, temporaryDirectory, writeFiles } from "../../helpers/directory.ts";

// Each test has a repository of its own, with scripts of this one, and an npm of its own on PATH.
let root: string;

beforeEach(() => {
  const directory = temporaryDirectory();
  root = directory.path;
  onTestFinished(() => directory.remove());
});

const copyTools = (...names: readonly string[]) =>
  Promise.all(
    names.map((name) =>
      cp(join(repository, "tools", name), join(root, "tools", name), { recursive: true }),
    ),
  );

async function writeNpm(command: string): Promise<void> {
  await writeFiles(root, { "bin/npm": `#!/bin/sh\n${command}\n` });
  await chmod(join(root, "bin/npm"), 0o755);
}

const runScript = (...args: readonly string[]) =>
  succeed(process.execPath, args, {
    directory: root,
    environment: { PATH: [join(root, "bin"), process.env.PATH].join(delimiter) },
  });

describe("ensure-installed.mjs", () => {
  beforeEach(() => copyTools("ensure-installed.mjs"));

  it.each<[packages: string, installedAt: number | undefined, isInstalled: boolean]>([
    ["are not installed yet", undefined, true],
    ["were installed before it changed", 1, true],
    ["were installed after it changed", 3, false],
  ])("installs the packages of a lock file if they %s", async (_, installedAt, isInstalled) => {
    const changes = { "package-lock.json": 2, "node_modules/.package-lock.json": installedAt };
    await writeNpm('echo "$@" >npm-was-called');
    for (const [file, changedAt] of Object.entries(changes)) {
      if (changedAt !== undefined) {
        await writeFiles(root, { [file]: "{}" });
        await utimes(join(root, file), changedAt, changedAt);
      }
    }

    await runScript("tools/ensure-installed.mjs");

    const call = await readFile(join(root, "npm-was-called"), "utf8").catch(() => "");
    expect(call.startsWith("ci ")).toBe(isInstalled);
  });

  it("installs the packages of another directory if its own lock file has changed", async () => {
    await writeNpm(`pwd >>"${root}/installed"`);
    for (const directory of ["tools/checks", "tools/others"]) {
      await writeFiles(join(root, directory), { "package-lock.json": "{}" });
    }
    await writeFiles(root, { "tools/others/node_modules/.package-lock.json": "{}" });

    await runScript("tools/ensure-installed.mjs", "tools/others");
    await runScript("tools/ensure-installed.mjs", "tools/checks");

    const installed = await readFile(join(root, "installed"), "utf8");
    expect(installed).toBe(`${await realpath(join(root, "tools/checks"))}\n`);
  });
});

describe("test-node-versions.sh", () => {
  /** Runs the script with an npm that installs a node which writes down its version and its calls. */
  async function runScriptWith(versionOfNode: string) {
    await copyTools("test-node-versions.sh");
    await writeNpm(`
      bin="$7/node_modules/.bin"
      mkdir -p "$bin"
      sed "s/VERSION/\${8#node@}/g" node >"$bin/node"
      chmod +x "$bin/node"`);
    await writeFiles(root, {
      node: `#!/bin/sh
        if [ "$1" = --version ]; then echo ${versionOfNode}; else echo VERSION "$@" >>calls; fi`,
      // The npx of the machine runs another Node.js.
      "bin/npx": "#!/bin/sh\necho npx >>calls",
    });
    await chmod(join(root, "bin/npx"), 0o755);
    const environment = { PATH: [join(root, "bin"), process.env.PATH].join(delimiter) };
    return run("bash", ["tools/test-node-versions.sh"], { directory: root, environment });
  }

  it("runs the tests that need no CLI on the oldest and on the newest version", async () => {
    const { exitCode, output } = await runScriptWith("vVERSION");

    const calls = (await readFile(join(root, "calls"), "utf8")).trimEnd().split("\n");
    const tests = calls.filter((call) => call.includes("vitest"));
    expect(exitCode, output).toBe(0);
    expect(calls).not.toContain("npx");
    expect(tests.map((call) => call.split(" ").filter((word) => !word.includes("/")))).toEqual(
      ["22.19.0", "26"].map((one) => [one, "run", "--project", "unit", "--project", "process"]),
    );
  });

  it("fails on a version that npm has not installed", async () => {
    expect((await runScriptWith("v24.0.0")).exitCode).toBe(1);
  });
});

describe("The script that builds", () => {
  // The packages that they load, and little to build.
  beforeEach(async () => {
    await copyTools("build.mts");
    await symlink(join(repository, "node_modules"), join(root, "node_modules"));
    await writeNpm("");
    await writeFiles(root, {
      "package.json": { version, type: "commonjs" },
      "rolldown.config.mts": `export default [{
        input: { "cli/main": "src/main.ts" },
        output: { dir: "dist", format: "cjs" },
      }];`,
      "src/main.ts": `console.log("built");`,
      "tools/plugin/build.mts": "export async function buildPlugin() {}",
    });
  });

  it("leaves no file of an earlier build in dist, and makes the command executable", async () => {
    await writeFiles(root, { "dist/earlier.js": "", "dist/cli/earlier.js": "" });

    await runScript("tools/build.mts");

    const entries = await readdir(join(root, "dist"), { recursive: true });
    expect(entries.toSorted()).toEqual(["cli", "cli/main.js"]);
    await access(join(root, "dist/cli/main.js"), constants.X_OK);
  });
});
