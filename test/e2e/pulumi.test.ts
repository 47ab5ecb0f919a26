import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { succeed } from "../helpers/commands.js";
import { reference, writeYamlProject } from "../helpers/programs.js";
import { noPromptFlags, withStack } from "../helpers/stack.js";

// Behaviour of Pulumi itself that the documents of this package describe. The test notices a new version
// that changes it.
describe("Pulumi", () => {
  it("prints secrets of a JavaScript program with --json in clear text, and hands them to other stacks as secrets", async () => {
    await withStack(async ({ service, declare, directory, environment, pulumi, stateText }) => {
      await declare({ orders: {} });
      const { stdout } = await pulumi(["up", ...noPromptFlags, "--json"]);
      const [{ secret } = { secret: "" }] = service.webhooks;
      const reader = join(directory, "../reader");
      await mkdir(reader);
      await writeYamlProject(reader, {
        name: "reader",
        resources: {
          webhooks: {
            type: "pulumi:pulumi:StackReference",
            properties: { name: "organization/webhooks/test" },
          },
        },
        outputs: { secret: reference('webhooks.outputs["ordersSecret"]') },
      });
      const inReader = async (...args: string[]) => {
        const flags = ["--stack", "test", "--non-interactive"];
        return (await succeed("pulumi", [...args, ...flags], { directory: reader, environment }))
          .stdout;
      };

      await inReader("stack", "init");
      const shown = await inReader("up", ...noPromptFlags);
      const read = await inReader("stack", "output", "secret", "--show-secrets");

      // SECURITY.md says so.
      expect(stdout).toContain(secret);
      expect(shown).toContain("[secret]");
      expect(shown + (await stateText())).not.toContain(secret);
      expect(read.trim()).toBe(secret);
    });
  });
});
