import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeJson } from "../helpers/directory.js";
import { succeed } from "../helpers/package.js";
import { interpolated } from "../helpers/programs.js";
import { unasked, webhookArgs, withStack } from "../helpers/stack.js";

// Rules of Pulumi's own that this package's promises and docs rely on: a new version that changes one
// of them is to be noticed. All that is tested elsewhere is ours.
describe("Pulumi", () => {
  it("prints secrets with --json in clear, and hands them to other stacks as secrets", async () => {
    await withStack(async ({ service, declare, directory, environment, pulumi, stateText }) => {
      await declare({ orders: { args: webhookArgs() } });
      const { stdout } = await pulumi(["up", ...unasked, "--json"]);
      const [{ secret } = { secret: "" }] = service.webhooks;
      const reader = join(directory, "../reader");
      await mkdir(reader);
      await writeJson(join(reader, "Pulumi.yaml"), {
        name: "reader",
        runtime: "yaml",
        resources: {
          webhooks: {
            type: "pulumi:pulumi:StackReference",
            properties: { name: "organization/webhooks/test" },
          },
        },
        outputs: { secret: interpolated('webhooks.outputs["ordersSecret"]') },
      });
      const inReader = async (...args: string[]) =>
        (
          await succeed("pulumi", [...args, "--stack", "test", "--non-interactive"], {
            directory: reader,
            environment,
          })
        ).stdout;

      await inReader("stack", "init");
      const shown = await inReader("up", ...unasked);
      const read = await inReader("stack", "output", "secret", "--show-secrets");

      // SECURITY.md says so.
      expect(stdout).toContain(secret);
      expect(shown).toContain("[secret]");
      expect(shown + (await stateText())).not.toContain(secret);
      expect(read.trim()).toBe(secret);
    });
  });
});
