import { describe, expect, it } from "vitest";
import { pluginAdapter } from "../helpers/adapters/adapters.ts";
import { run as runCommand } from "../helpers/commands.ts";
import { repository } from "../helpers/directory.ts";

const run = (args: readonly string[], environment = {}) =>
  runCommand(pluginAdapter.program, args, { directory: repository, environment });

describe.concurrent("pulumi-resource-dbwebhooks", () => {
  it.each([{ args: [] }, { args: ["--help"] }, { args: ["127.0.0.1:99999"] }])(
    "without a valid address of an engine, explains in one line that Pulumi starts it: $args",
    async ({ args }) => {
      const stderr = expect.stringMatching(
        /^pulumi-resource-dbwebhooks is started by Pulumi, .+\n$/,
      );
      expect(await run(args)).toMatchObject({ exitCode: 1, stdout: "", stderr });
    },
  );

  it("explains in one line that Node.js is too old", async () => {
    const script = 'Object.defineProperty(process.versions, "node", { value: "20.20.2" });';
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(script)}`;

    const result = await run(["127.0.0.1:1"], { NODE_OPTIONS });

    const stderr = expect.stringMatching(/^pulumi-resource-.+ needs .+ this is 20\.20\.2\.\n$/);
    expect(result).toMatchObject({ exitCode: 1, stdout: "", stderr });
  });

  it("prints its port, and ends without an error once it finds that no engine listens at its address", async () => {
    const stdout = expect.stringMatching(/^\d+\n$/);
    expect(await run(["127.0.0.1:1"])).toMatchObject({ exitCode: 0, stdout, stderr: "" });
  });
});
