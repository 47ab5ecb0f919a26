import { join } from "node:path";
import { expect, it } from "vitest";
import { someArgs } from "../helpers/builders.ts";
import { repository } from "../helpers/directory.ts";
import { isDelete, respondWith } from "../helpers/faults/faults.mts";
import { codeBlocks, readPage, sectionOf } from "../helpers/markdown.ts";
import { javascriptPluginProgram } from "../helpers/programs.ts";
import { methodsOf } from "../helpers/recorder.mts";
import { noPromptFlags, withStack } from "../helpers/stack.ts";
import { editState } from "../helpers/two-services.ts";

const section = sectionOf(readPage("docs/comparison.md"), "Change to this package");
const [lineOfState = "", declaration = ""] = codeBlocks(section).map(({ text }) => text);
const [alias = ""] = /\{ aliases: .* \}(?=\);)/.exec(declaration) ?? [];

const byHand = join(repository, "bench/by-hand.cjs");
const program = (module: string, url: string, opts = "{}") => `
  const { Webhook } = require(${JSON.stringify(module)});
  const args = ${JSON.stringify(someArgs({ url }))};
  exports.ordersSecret = new Webhook("orders", args, ${opts}).secret;
`;

it.each(["pulumi-dbwebhooks", "pulumi-dbwebhooks/native"])(
  "The steps of docs/comparison.md lead from bench/by-hand.cjs to %s, whose code then deletes",
  async (module) => {
    await withStack(
      async (stack) => {
        const { service, pulumi, up, writeProgram, outputs } = stack;
        const { url } = someArgs();
        const account = {
          DBWEBHOOKS_BASE_URL: service.baseUrl,
          DBWEBHOOKS_API_KEY: service.apiKey,
        };
        await writeProgram(program(byHand, url));
        await up(account);
        const [webhook] = service.webhooks;

        // As a user edits the text, who also adds what this class does not store.
        await editState(stack, (text) =>
          text.replace(/(?<="outputs": \{\s+)"__provider": .*/, () => {
            return `"baseUrl": "${service.baseUrl}", ${lineOfState.trim()}`;
          }),
        );
        await writeProgram(program(module, url, alias));
        const preview = await pulumi(["preview", "--expect-no-changes"]);
        expect(preview.exitCode, preview.output).toBe(0);
        const changed = await up();
        await writeProgram(program(module, url));
        const withoutAlias = await up();
        expect([...changed.requests, ...withoutAlias.requests]).toEqual([]);
        expect(await outputs()).toEqual({ ordersSecret: webhook?.secret });

        // The code by hand takes this response of a proxy for a deletion.
        const remove = service.use((request, next) =>
          isDelete(request) ? respondWith(404, { body: {} })(request, next) : next(),
        );
        const refused = await pulumi(["destroy", ...noPromptFlags]);
        remove();
        expect(refused.output).toContain("[notDeleted]");
        expect(service.webhooks).toEqual([webhook]);
        await writeProgram(program(module, "https://example.com/hooks/other"));
        const replaced = await up();
        expect(methodsOf(replaced.requests)).toEqual(["POST", "DELETE"]);
        expect(service.webhooks).toMatchObject([{ url: "https://example.com/hooks/other" }]);
      },
      { program: javascriptPluginProgram },
    );
  },
);
