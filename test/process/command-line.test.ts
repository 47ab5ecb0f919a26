import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../helpers/cli.js";

const main = join(__dirname, "../../dist/cli/main.js");

describe("pulumi-dbwebhooks", () => {
  it("shows its version, its commands, and the options of each", async () => {
    const { version } = require("../../package.json") as { version: string };
    const texts: [string[], RegExp][] = [
      [["--version"], new RegExp(`^${version}\n$`)],
      [["--help"], /^ {2}serve .*\n(?: {4,}.*\n)* {2}emit /m],
      [["serve", "--help"], /^ {2}--api-key <KEY> +API key for all databases/m],
      [["emit", "--help"], /^ {2}--database <ID> +Database/m],
    ];

    for (const [args, text] of texts) {
      expect(await runCli(args)).toEqual({
        ...{ exitCode: 0, stderr: "" },
        stdout: expect.stringMatching(text),
      });
    }
  });

  it("fails with 2, and says why, when its words cannot be understood", async () => {
    expect(await runCli(["--versoin"])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "--versoin is unknown; did you mean --version? (see --help)\n",
    });
  });

  it.each([["--help"], ["serve", "--help"], ["--version"]])(
    "loads neither the local service nor undici for %s",
    async (...args) => {
      const stderr = await stderrAfter(
        'process.on("exit", () => console.error(Object.keys(require.cache).join("\\n")));',
        args,
      );

      expect(stderr).toMatch(/dist\/cli\/main\.js$/m);
      expect(stderr).not.toMatch(/undici|hono|zod|local-service\.js/);
    },
  );

  it.each([["serve"], ["--help"]])("says that Node.js is too old for %s", async (...args) => {
    const stderr = await stderrAfter(
      'Object.defineProperty(process.versions, "node", { value: "22.18.0" }); process.on("exit", (code) => console.error(code));',
      args,
    );

    expect(stderr).toBe(
      "pulumi-dbwebhooks needs Node.js 22.19 or newer, and this is 22.18.0.\n1\n",
    );
  });
});

/** What a command writes to standard error when a script runs before it in its process. */
async function stderrAfter(script: string, args: readonly string[]): Promise<string> {
  const run = `${script}
    process.argv = ${JSON.stringify(["node", main, ...args])};
    require(${JSON.stringify(main)});`;
  return new Promise((resolve) => {
    execFile(process.execPath, ["-e", run], (_error, _stdout, stderr) => resolve(stderr));
  });
}
