import { type ExecFileException, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../helpers/directory.js";
import { pluginFile } from "../helpers/shells/native-shell.js";

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; one that does not end is killed, and then has no code. */
function run(command: string, args: readonly string[], environment = {}): Promise<Ended> {
  const options = { env: { ...process.env, ...environment }, timeout: 20_000 };
  return new Promise((resolve) => {
    execFile(command, args, options, (error: ExecFileException | null, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

describe("pulumi-resource-dbwebhooks", () => {
  it.each([[], ["--help"], ["127.0.0.1"], ["127.0.0.1:port"], ["127.0.0.1:99999"], [""]])(
    "says in one line that Pulumi starts it, without the address of an engine: %j",
    async (...args) => {
      const { code, stdout, stderr } = await run(pluginFile, args.flat());

      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^pulumi-resource-dbwebhooks is started by Pulumi, .+\n$/);
    },
  );

  it("says in one line that Node.js is too old, whatever version there is", async () => {
    await withDirectory(async (directory) => {
      const preload = join(directory, "old-node.cjs");
      await writeFile(
        preload,
        'Object.defineProperty(process.versions, "node", { value: "20.20.2" });',
      );

      const ended = await run(pluginFile, ["127.0.0.1:1"], { NODE_OPTIONS: `-r ${preload}` });

      expect(ended).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(tooOld) });
    });
  });

  // Whatever older ones this machine has, besides the one that the tests run on.
  const others = (process.env.PATH ?? "")
    .split(delimiter)
    .map((directory) => join(directory, "node"))
    .filter((file) => !file.includes("node_modules") && existsSync(file));

  it("starts on none of the older versions on PATH", async () => {
    for (const node of new Set(others)) {
      const version = (await run(node, ["--version"])).stdout.trim();
      if (/^v(1\d|20|21)\./.test(version)) {
        const ended = await run(node, [pluginFile, "127.0.0.1:1"]);

        expect(ended).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(tooOld) });
        expect(ended.stderr).toContain(version.slice(1));
      }
    }
  });

  it("ends by itself when there is no engine at the address", async () => {
    const { code, stdout, stderr } = await run(pluginFile, ["127.0.0.1:1"]);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\n$/);
    expect(stderr).toBe("");
  });
});

const tooOld =
  /^pulumi-resource-dbwebhooks needs Node\.js 22\.19 or newer, and this is [\d.]+\.\n$/;
