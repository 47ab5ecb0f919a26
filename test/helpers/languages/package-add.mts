/**
 * Does what `pulumi package add dbwebhooks` does with the installed plugin in the project of this
 * directory, for language hosts that cannot: `node package-add.mts go|python`.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { buildEnvironment, buildTags } from "../../../tools/pulumi-cli/build.mts";

const sdk = "./sdks/dbwebhooks";

const run = (command: string, args: readonly string[], options: object = {}) =>
  execFileSync(command, args, { stdio: "inherit", ...options });

const [language = ""] = process.argv.slice(2);
const schema = join(mkdtempSync(join(tmpdir(), "dbwebhooks-test-")), "schema.json");
const getSchema = ["package", "get-schema", "dbwebhooks"];
writeFileSync(schema, execFileSync("pulumi", getSchema, { maxBuffer: 2 ** 26 }));
run("go", ["run", "-tags", buildTags, "./sdk-generator", schema, language, resolve(sdk)], {
  cwd: join(import.meta.dirname, "../../../tools/pulumi-cli/cli"),
  env: { ...process.env, ...buildEnvironment },
});
rmSync(dirname(schema), { recursive: true });

if (language === "go") {
  const path = "example.com/pulumi-dbwebhooks/sdk/go";
  run("go", ["mod", "edit", "-require", `${path}@v0.0.0`, "-replace", `${path}=${sdk}`]);
  run("go", ["mod", "tidy"]);
} else {
  appendFileSync("requirements.txt", `${sdk}\n`);
  run("python3", ["-m", "venv", "venv"]);
  run("venv/bin/python", ["-m", "pip", "install", "--quiet", "-r", "requirements.txt"]);
}
