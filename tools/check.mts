// `npm run check`: format, lint, types, imports between folders, unused code, the API document and
// the packed package. Runs every check, and fails if one does.
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";

const cwd = join(import.meta.dirname, "..");
const programs = ["node_modules/.bin", "tools/checks/node_modules/.bin"];

const checks = [
  "biome ci",
  "tsc -p .",
  "depcruise src --output-type err-long",
  "knip",
  "redocly lint docs/api/openapi.yaml",
  "publint --strict",
  "attw --pack .",
];

const failed = checks.filter((command) => {
  process.stdout.write(`\n> ${command}\n`);
  const { status, error } = spawnSync(command, {
    cwd,
    stdio: "inherit",
    shell: true,
    env: {
      ...process.env,
      PATH: [...programs.map((path) => join(cwd, path)), process.env.PATH].join(delimiter),
      // Both pack the package, and nothing is to be built for it.
      npm_config_ignore_scripts: "true",
    },
  });
  if (error !== undefined) {
    process.stderr.write(`${error.message}\n`);
  }
  return status !== 0;
});
if (failed.length > 0) {
  process.stderr.write(`\nFailed: ${failed.join("; ")}\n`);
  process.exitCode = 1;
}
