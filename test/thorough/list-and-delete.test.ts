import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { run, succeed } from "../helpers/commands.ts";
import { repository } from "../helpers/directory.ts";
import { isPost, loseResponse, times } from "../helpers/faults/faults.mts";
import { commandBlocks } from "../helpers/guide.ts";
import { issuedSecret } from "../helpers/leaks.ts";
import { readPage, sectionOf } from "../helpers/markdown.ts";
import { javascriptPluginProgram, javascriptProgram, yamlProgram } from "../helpers/programs.ts";
import { methodsOf } from "../helpers/recorder.mts";
import { expectAgreement, noPromptFlags, type TestStack, withStack } from "../helpers/stack.ts";

const commandsOf = (page: string, heading: string) =>
  commandBlocks(sectionOf(readPage(page), heading)).map(({ commands }) => commands);
const [listCommands = "", deleteCommands = ""] = commandsOf("docs/troubleshooting.md", "inDoubt");
const [curlCommand = ""] = commandsOf("docs/api/README.md", "Rules that the code cites");
const importCommand =
  commandsOf("docs/existing-webhooks.md", "Import").find((text) => text.includes(" list ")) ?? "";

/** Pastes commands of a page into a terminal of a stack. */
async function paste({ service, directory, environment }: TestStack, commands: string) {
  const program = `"${process.execPath}" "${join(repository, "dist/cli/main.js")}"`;
  expect(commands).not.toBe("");
  const text = commands
    // The project has no package.json whose packages npx finds.
    .replaceAll("npx --no -- pulumi-dbwebhooks", program)
    .replaceAll("--stack dev --stack prod", "--stack dev")
    .replaceAll("--stack dev", "--stack test")
    .replaceAll("~/", `${directory}/`)
    .replaceAll("https://tables.fillout.com", service.baseUrl)
    .replaceAll(/^read -rs DBWEBHOOKS_API_KEY && /gm, "");
  const variables = {
    DBWEBHOOKS_BASE_URL: service.baseUrl,
    DBWEBHOOKS_API_KEY: service.apiKey,
  };
  const bash = ["-euc", text];
  const options = { directory, environment: { ...environment, ...variables } };
  const { stdout, output } = await succeed("bash", bash, options);
  expect(output).not.toMatch(issuedSecret);
  return stdout;
}

/** Returns the id and the resource of each row of the table of `list`. */
const rowsOf = (table: string) =>
  [...table.matchAll(/^base_abc123 +(\d+) .* (\S+)$/gm)].map(([, id, resource]) => [id, resource]);

it.each([javascriptProgram, yamlProgram])(
  "The commands of docs/troubleshooting.md find and delete the webhook of a lost response, through $name",
  (program) =>
    withStack(
      async (stack) => {
        const { service, declare, up, pulumi, storedWebhooks } = stack;
        await declare({ orders: {} });
        await up();
        const { urn, id } = (await storedWebhooks()).orders ?? {};
        service.use(times(1, loseResponse, isPost));
        await declare({ orders: {}, tasks: {} });
        const doubt = await pulumi(["up", ...noPromptFlags]);
        expect(doubt.output).toMatch(/\[inDoubt\]/);

        const table = await paste(stack, listCommands);
        const byCurl = await paste(stack, curlCommand);
        const orphan = rowsOf(table).find(([, resource]) => resource === "-")?.[0] ?? "";
        const deleted = await paste(stack, deleteCommands.replace(" 43", ` ${orphan}`));

        expect(rowsOf(table)).toEqual([
          [id, urn],
          [orphan, "-"],
        ]);
        expect(JSON.parse(byCurl.slice(byCurl.indexOf("{"))).webhooks).toHaveLength(2);
        expect(deleted).toContain(`Deleted webhook ${orphan} of database base_abc123.\n`);
        await up();
        await expectAgreement(stack, service);
        expect(service.webhooks).toHaveLength(2);
      },
      { program },
    ),
);

it("The command of docs/existing-webhooks.md prepares an import of all webhooks that the stack lacks", () =>
  withStack(
    async (stack) => {
      const { service, directory, environment, declare, createByHand, destroy } = stack;
      await declare({ orders: {} });
      await stack.up();
      const args = [
        {},
        { tableId: "tbl_1" },
        { url: "http://example.com/", allowInsecureUrl: true },
      ];
      const byHand: { name: string; id: number; secret: string; args: object }[] = [];
      for (const changes of args) {
        const { allowInsecureUrl: _, ...sent } = { allowInsecureUrl: false, ...changes };
        const { id, secret } = await createByHand(sent);
        byHand.push({ name: `webhook-base_abc123-${id}`, id, secret, args: changes });
      }

      const printed = await paste(stack, importCommand);
      const file = join(directory, "webhooks-to-import/webhooks.json");
      const described = JSON.parse(await readFile(file, "utf8"));
      for (const { id, secret } of byHand) {
        described[id].secret = secret;
      }
      await writeFile(file, JSON.stringify(described));
      const [, nextCommand = ""] = /^3\. .* run (DBWEBHOOKS_IMPORT.*)$/m.exec(printed) ?? [];
      const command = nextCommand.replace("--stack STACK", "--stack test --yes");
      await succeed("bash", ["-euc", command], { directory, environment });
      const webhooks = Object.fromEntries(byHand.map(({ name, args }) => [name, { args }]));
      await declare({ orders: {}, ...webhooks });
      const unchanged = await stack.up();

      expect(printed).toMatch(/with allowInsecureUrl set to true.*Described 3 webhooks in/s);
      expect(unchanged.output).toContain("5 unchanged");
      expect(unchanged.requests).toEqual([]);
      expect(await paste(stack, importCommand.replace("-to-import", "-again"))).toContain(
        "There is no webhook to import",
      );

      const [first] = byHand;
      const changed = { args: { url: "https://example.com/changed" } };
      await declare({ orders: {}, ...webhooks, [first?.name ?? ""]: changed });
      const replaced = await stack.up();
      expect(methodsOf(replaced.requests)).toEqual(["POST", "DELETE"]);
      await expectAgreement(stack, service);
      await destroy();
      expect(service.webhooks).toEqual([]);
    },
    { program: javascriptPluginProgram },
  ));

/** Runs `list` or `delete` beside a stack. */
const runBeside = (
  { service, directory, environment }: TestStack,
  name: string,
  further: readonly string[] = [],
) => {
  const program = join(repository, "dist/cli/main.js");
  const args = [program, name, "--database", "base_abc123", "--stack", "test", ...further];
  const account = { DBWEBHOOKS_BASE_URL: service.baseUrl, DBWEBHOOKS_API_KEY: service.apiKey };
  return run(process.execPath, args, { directory, environment: { ...environment, ...account } });
};

/** Starts an update whose creations the service has committed long before it responds. */
function startSlowUpdate({ service, start }: TestStack, delayMs: number) {
  service.use(async (request, next) => {
    const response = await next();
    await setTimeout(isPost(request) ? delayMs : 0);
    return response;
  });
  return start(["up", "--parallel", "1", ...noPromptFlags]);
}

describe.each([javascriptProgram, yamlProgram])("During an update through $name", (program) => {
  it("list shows no webhook of the stack as one that nobody has, and names creations in flight", () =>
    withStack(
      async (stack) => {
        const names = Array.from({ length: 24 }, (_, at) => [`webhook${at}`, {}]);
        await stack.declare(Object.fromEntries(names));
        const update = startSlowUpdate(stack, 250);
        let isOver = false;
        void update.result.then(() => {
          isOver = true;
        });

        const lists: Awaited<ReturnType<typeof runBeside>>[] = [];
        while (!isOver) {
          lists.push(...(await Promise.all([1, 2].map(() => runBeside(stack, "list")))));
        }

        expect((await update.result).exitCode).toBe(0);
        expect(lists.length).toBeGreaterThan(10);
        for (const { exitCode, stdout, output } of lists) {
          expect(exitCode, output).toBe(0);
          expect(stdout).not.toMatch(/ -$| not listed /m);
          const isSaid = / is in flight/.test(output);
          expect(/ \?$/m.test(stdout) && !isSaid, output).toBe(false);
        }
      },
      { program },
    ));

  it("delete refuses the webhook of a creation in flight, and of one that a kill has interrupted until a refresh", () =>
    withStack(
      async (stack) => {
        const { service, declare, pulumi } = stack;
        await declare({ orders: {} });
        const update = startSlowUpdate(stack, 60_000);
        await vi.waitUntil(() => service.webhooks.length > 0, { timeout: 60_000 });
        const id = String(service.webhooks[0]?.id);

        const inFlight = await runBeside(stack, "delete", [id]);
        process.kill(-(update.child.pid ?? 0), "SIGKILL");
        await update.result;
        const killed = await runBeside(stack, "delete", [id]);
        await pulumi(["cancel", "--yes"]);
        await pulumi(["refresh", "--yes", "--clear-pending-creates"]);
        const kept = [...service.webhooks];
        const listed = await runBeside(stack, "list");
        const deleted = await runBeside(stack, "delete", [id]);

        for (const { exitCode, stderr } of [inFlight, killed]) {
          expect(exitCode).toBe(1);
          expect(stderr).toMatch(/^Did not delete .*::orders .* "pulumi refresh --clear-pending/);
        }
        expect(kept).toHaveLength(1);
        expect(rowsOf(listed.stdout)).toEqual([[id, "-"]]);
        expect(deleted).toMatchObject({ exitCode: 0 });
        expect(service.webhooks).toEqual([]);
      },
      { program },
    ));
});
