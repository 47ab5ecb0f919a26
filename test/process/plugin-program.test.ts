import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { pluginAdapter, pluginFile, startAdapter } from "../helpers/adapters/adapters.js";
import { someArgs, someState } from "../helpers/builders.js";
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
  it.each([[""], ["--help"], ["127.0.0.1:port"], ["127.0.0.1:99999"]])(
    "explains in one line that Pulumi starts it when its argument is no engine address: %j",
    async (argument) => {
      expect(await run(pluginFile, argument === "" ? [] : [argument])).toEqual({
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

  it("evaluates neither undici nor the queue for a check and a diff", async () => {
    await withDirectory(async (directory) => {
      await using plugin = await startAdapter(
        pluginAdapter,
        { baseUrl: "http://127.0.0.1:9", apiKey: "key" },
        {
          NODE_V8_COVERAGE: directory,
          // Coverage is written when a process exits, and not when a signal ends it.
          NODE_OPTIONS: `--import="data:text/javascript,process.on('SIGINT',()=>process.exit())"`,
        },
      );
      const { inputs, failures } = await plugin.check(someArgs());
      const state = someState({ baseUrl: "http://127.0.0.1:9" });
      const { replaces } = await plugin.diff("base_abc123/1", state, inputs);
      const { child } = plugin.process;
      const exited = once(child, "exit");
      child.kill("SIGINT");
      await exited;

      expect([failures, replaces]).toEqual([[], []]);
      const isEvaluated = evaluatedIn(directory);
      expect(isEvaluated("$ZodAsyncError=class extends")).toBe(true);
      expect(isEvaluated("undici:client:sendHeaders")).toBe(false);
      expect(isEvaluated("PQueue=class extends")).toBe(false);
    });
  });

  it("is plain ASCII, which V8 reads in half the time", () => {
    expect(readFileSync(pluginFile, "utf8")).toMatch(/^[\0-\x7f]*$/);
  });
});

/** Returns whether the plugin evaluated the top-level code of a module that contains a text. */
function evaluatedIn(directory: string): (mark: string) => boolean {
  const [file = ""] = readdirSync(directory);
  const { result } = JSON.parse(readFileSync(join(directory, file), "utf8")) as {
    result: { url: string; functions: { ranges: { [name: string]: number }[] }[] }[];
  };
  const script = result.find(({ url }) => url.endsWith("/pulumi-resource-dbwebhooks"));
  const ranges = script?.functions.flatMap((each) => each.ranges) ?? [];
  return (mark) => {
    const at = readFileSync(pluginFile, "utf8").indexOf(mark);
    expect(at, mark).toBeGreaterThan(0);
    const [innermost] = ranges
      .map(({ startOffset: start = 0, endOffset: end = 0, count = 0 }) => ({ start, end, count }))
      .filter(({ start, end }) => start <= at && at < end)
      .sort((a, b) => a.end - a.start - (b.end - b.start));
    return (innermost?.count ?? 0) > 0;
  };
}
