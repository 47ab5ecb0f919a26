import { access, chmod, constants, cp, readdir, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { version } from "../../../package.json";
import { platformOfMachine } from "../../../tools/plugin/node-binary.mts";
import { succeed } from "../../helpers/commands.ts";
import { repository, temporaryDirectory, writeFiles } from "../../helpers/directory.ts";

// Each test has a repository of its own, with the scripts of this one, the packages that they load,
// and little to build.
let root: string;

beforeEach(async () => {
  const directory = temporaryDirectory();
  root = directory.path;
  onTestFinished(() => directory.remove());
  for (const name of ["build.mts", "cache.mts", "plugin"]) {
    await cp(join(repository, "tools", name), join(root, "tools", name), { recursive: true });
  }
  await symlink(join(repository, "node_modules"), join(root, "node_modules"));
  await writeFiles(root, {
    "package.json": { version, type: "commonjs" },
    "bin/npm": "#!/bin/sh\n",
    "rolldown.config.mts": `export default [{
      input: { "cli/main": "src/main.ts" },
      output: { dir: "dist", format: "cjs" },
    }];`,
    "src/main.ts": `console.log("built");`,
    "tools/plugin/build.mts": "export async function buildPlugin() {}",
    "tools/plugin/executable.mts": `
      import { mkdirSync, writeFileSync } from "node:fs";
      export async function buildExecutable(platform, directory) {
        mkdirSync(directory, { recursive: true });
        writeFileSync(directory + "/plugin", "");
        return ["plugin"];
      }`,
  });
  await chmod(join(root, "bin/npm"), 0o755);
});

/** Runs a script of tools with an npm that does nothing. */
const runScript = (...args: string[]) =>
  succeed(process.execPath, args, {
    directory: root,
    environment: { PATH: [join(root, "bin"), process.env.PATH].join(delimiter) },
  });

it("The build leaves no file of an earlier one in dist, and the command can be executed", async () => {
  await writeFiles(root, { "dist/earlier.js": "", "dist/cli/earlier.js": "" });

  await runScript("tools/build.mts");

  const entries = await readdir(join(root, "dist"), { recursive: true });
  expect(entries.toSorted()).toEqual(["cli", "cli/main.js"]);
  await access(join(root, "dist/cli/main.js"), constants.X_OK);
});

it("The archives of the plugin are those of this version alone", async () => {
  const platform = platformOfMachine();
  const archive = (of: string) => `pulumi-resource-dbwebhooks-v${of}-${platform}.tar.gz`;
  await writeFiles(root, { [`release/archives/${archive("0.0.1")}`]: "" });

  await runScript("tools/plugin/pack.mts", platform);

  expect(await readdir(join(root, "release/archives"))).toEqual([archive(version)]);
});
