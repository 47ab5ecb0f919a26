/**
 * Does what `pulumi package add` does with the plugin in the project of this directory, for language
 * hosts that cannot: `node package-add.mts go|python`.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildEnvironment, buildTags } from "../../../tools/pulumi-cli/build.mts";

const repository = join(import.meta.dirname, "../../..");
const sdk = "./sdks/dbwebhooks";

const run = (command: string, args: readonly string[], options: object = {}) =>
  execFileSync(command, args, { stdio: "inherit", ...options });

const [language = ""] = process.argv.slice(2);
const schema = join(repository, "dist-plugin/schema.json");
run("go", ["run", "-tags", buildTags, ".", schema, language, resolve(sdk)], {
  cwd: join(repository, "test/languages/sdk-generator"),
  env: { ...process.env, ...buildEnvironment },
});

if (language === "go") {
  const path = "example.com/pulumi-dbwebhooks/sdk/go";
  run("go", ["mod", "edit", "-require", `${path}@v0.0.0`, "-replace", `${path}=${sdk}`]);
} else {
  appendFileSync("requirements.txt", `${sdk}\n`);
  run("venv/bin/python", ["-m", "pip", "install", "--quiet", "-r", "requirements.txt"]);
}
