import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { pluginFile } from "../helpers/adapters/adapters.js";
import { run } from "../helpers/commands.js";
import { repository, withDirectory } from "../helpers/directory.js";

const directory = repository;
const onlyPort = { exitCode: 0, stdout: expect.stringMatching(/^\d+\n$/), stderr: "" };
const oldNodeError = {
  exitCode: 1,
  stdout: "",
  stderr: expect.stringMatching(
    /^pulumi-resource-dbwebhooks needs Node\.js 22\.19 or newer, and this is [\d.]+\.\n$/,
  ),
};
const nodesOnPath = [...new Set(process.env.PATH?.split(delimiter))].map((path) =>
  join(path, "node"),
);
const oldNodes = nodesOnPath.filter(
  (node) =>
    existsSync(node) &&
    /^v(1\d|20|21)\./.test(execFileSync(node, ["--version"], { encoding: "utf8" })),
);

describe.concurrent("pulumi-resource-dbwebhooks", () => {
  it.each([{ args: [] }, { args: ["--help"] }, { args: ["127.0.0.1:99999"] }])(
    "explains in one line that Pulumi starts it when it gets no address of an engine: $args",
    async ({ args }) => {
      expect(await run(pluginFile, args, { directory })).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: expect.stringMatching(/^pulumi-resource-dbwebhooks is started by Pulumi, .+\n$/),
      });
    },
  );

  it("explains in one line that Node.js is too old", async () => {
    const script = 'Object.defineProperty(process.versions, "node", { value: "20.20.2" });';
    const preload = `--import=data:text/javascript,${encodeURIComponent(script)}`;
    const environment = { NODE_OPTIONS: preload };

    const result = await run(pluginFile, ["127.0.0.1:1"], { directory, environment });

    expect(result).toMatchObject(oldNodeError);
  });

  it.skipIf(oldNodes.length === 0)("explains it to the old versions on PATH too", async () => {
    for (const node of oldNodes) {
      const result = await run(node, [pluginFile, "127.0.0.1:1"], { directory });
      expect(result, node).toMatchObject(oldNodeError);
    }
  });

  it("prints its port, and ends if there is no engine", async () => {
    expect(await run(pluginFile, ["127.0.0.1:1"], { directory })).toMatchObject(onlyPort);
  });

  it('runs in a package of the type "module"', async () => {
    await withDirectory(async (root) => {
      await writeFile(join(root, "package.json"), '{ "type": "module" }');
      await cp(dirname(pluginFile), join(root, "plugin"), { recursive: true });
      const copy = join(root, "plugin/pulumi-resource-dbwebhooks");

      expect(await run(copy, ["127.0.0.1:1"], { directory })).toMatchObject(onlyPort);
    });
  });

  it("is plain ASCII, which V8 reads in half the time", () => {
    expect(readFileSync(pluginFile, "utf8")).toMatch(/^[\0-\x7f]*$/);
  });
});
