import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { pluginFile } from "../helpers/adapters/adapters.js";
import { withDirectory } from "../helpers/directory.js";

/** Runs a program to its end. A program that does not end is killed and has no exit code. */
function run(command: string, args: readonly string[], environment = {}) {
  const options = { env: { ...process.env, ...environment }, timeout: 20_000 };
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

const portAlone = { code: 0, stdout: expect.stringMatching(/^\d+\n$/), stderr: "" };
const refusalOfOldNode = {
  code: 1,
  stdout: "",
  stderr: expect.stringMatching(
    /^pulumi-resource-dbwebhooks needs Node\.js 22\.19 or newer, and this is [\d.]+\.\n$/,
  ),
};

describe.concurrent("pulumi-resource-dbwebhooks", () => {
  it.each([{ args: [] }, { args: ["--help"] }, { args: ["127.0.0.1:99999"] }])(
    "explains in one line that Pulumi starts it when it gets no address of an engine: $args",
    async ({ args }) => {
      expect(await run(pluginFile, args)).toEqual({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(/^pulumi-resource-dbwebhooks is started by Pulumi, .+\n$/),
      });
    },
  );

  it("refuses an old Node.js in one line", async () => {
    await withDirectory(async (directory) => {
      const preload = join(directory, "old-node.cjs");
      const text = 'Object.defineProperty(process.versions, "node", { value: "20.20.2" });';
      await writeFile(preload, text);

      const ended = await run(pluginFile, ["127.0.0.1:1"], { NODE_OPTIONS: `-r ${preload}` });

      expect(ended).toEqual(refusalOfOldNode);
    });
  });

  it("refuses the old versions of Node.js that are on PATH in one line", async () => {
    const runs: ReturnType<typeof run>[] = [];
    for (const folder of new Set(process.env.PATH?.split(delimiter))) {
      const node = join(folder, "node");
      const isOther = !node.includes("node_modules") && existsSync(node);
      if (isOther && /^v(1\d|20|21)\./.test((await run(node, ["--version"])).stdout)) {
        runs.push(run(node, [pluginFile, "127.0.0.1:1"]));
      }
    }

    const ends = await Promise.all(runs);

    expect(ends).toEqual(ends.map(() => refusalOfOldNode));
  });

  it("prints its port, and ends if there is no engine", async () => {
    expect(await run(pluginFile, ["127.0.0.1:1"])).toEqual(portAlone);
  });

  it('runs in a package of the type "module"', async () => {
    await withDirectory(async (directory) => {
      await writeFile(join(directory, "package.json"), '{ "type": "module" }');
      await cp(dirname(pluginFile), join(directory, "plugin"), { recursive: true });

      const ended = await run(join(directory, "plugin/pulumi-resource-dbwebhooks"), [
        "127.0.0.1:1",
      ]);

      expect(ended).toEqual(portAlone);
    });
  });

  it("is plain ASCII, which V8 reads in half the time", () => {
    expect(readFileSync(pluginFile, "utf8")).toMatch(/^[\0-\x7f]*$/);
  });
});
