import { expect, it } from "vitest";
import { succeed } from "../helpers/commands.ts";
import { commandBlocks } from "../helpers/guide.ts";
import { readPage, sectionOf } from "../helpers/markdown.ts";
import { javascriptProgram, yamlProgram } from "../helpers/programs.ts";
import { withStack } from "../helpers/stack.ts";

const page = readPage("docs/troubleshooting.md");
const blocks = commandBlocks(sectionOf(page, "inDoubt"));

it.each([javascriptProgram, yamlProgram])(
  "The commands of docs/troubleshooting.md find and delete an unmanaged webhook beside those of $name",
  async (program) => {
    const options = { program };
    await withStack(async ({ service, declare, up, createByHand, directory, environment }) => {
      await declare({ orders: {} });
      await up();
      const managed = service.webhooks.map(({ id }) => String(id));
      const { id } = await createByHand();
      const commands = blocks
        .map((block) => block.commands)
        .join("")
        .replace("https://tables.fillout.com", service.baseUrl)
        .replace(/^read -rs .*$/m, `DBWEBHOOKS_API_KEY=${service.apiKey}`)
        .replace("/webhooks/43", `/webhooks/${id}`);

      const bash = ["-euc", `pulumi stack select test\n${commands}`];
      const { stdout } = await succeed("bash", bash, { directory, environment });

      expect(stdout).toContain(`"id":${id},`);
      const shown = [...stdout.matchAll(/"id": "(.+)"/g)].map(([, one]) => one);
      expect(shown).toEqual(managed);
      expect(service.webhooks.map(({ id }) => String(id))).toEqual(managed);
    }, options);
  },
);
