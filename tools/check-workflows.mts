// `npm run check:workflows`: runs zizmor, a linter for the security of GitHub Actions, on the
// workflows of this repository. It needs Python 3 with venv, and fails without it.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const version = "1.32.0";
const cwd = join(import.meta.dirname, "..");
const environment = join(cwd, "node_modules/.cache", `zizmor-${version}`);
const bin = join(environment, process.platform === "win32" ? "Scripts" : "bin");

run("python3", "-m", "venv", environment);
run(join(bin, "pip"), "install", "--quiet", "--disable-pip-version-check", `zizmor==${version}`);
run(join(bin, "zizmor"), "--offline", "--no-progress", ".github");

function run(command: string, ...args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (error !== undefined || status !== 0) {
    process.stderr.write(`${command} ${error?.message ?? `ended with exit code ${status}`}\n`);
    process.exit(1);
  }
}
