import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { echoAuthorization } from "../helpers/faults/faults.mjs";
import { javascriptProgramOfPlugin, yamlProgram } from "../helpers/programs.js";
import { webhookArgs, withStack } from "../helpers/stack.js";

const apiKey = "key-token-5b1f0a77";
const urlToken = "url-path-token-9c3e";
const queryToken = "query-token-41d8";
const secretUrl = `https://example.com/${urlToken}?signature=${queryToken}`;

describe("Secrets on the real CLI", () => {
  it("reach another stack through a StackReference, still as secrets", async () => {
    await withStack(async ({ service, up, declare, beside }) => {
      await declare({ orders: { args: webhookArgs() } });
      await up();

      await beside("consumer", async (consumer) => {
        await consumer.declareText(`
          const pulumi = require("@pulumi/pulumi");
          const producer = new pulumi.StackReference("organization/webhooks/test");
          exports.ordersSecret = producer.requireOutput("ordersSecret");
        `);
        await consumer.up();

        const secret = service.webhooks[0]?.secret;
        expect(await consumer.outputs()).toEqual({ ordersSecret: secret });
        expect(await consumer.stateText()).not.toContain(secret);
      });
    });
  });

  it("stay out of all output, the state, the event log and what this package adds to Pulumi's most detailed log", async () => {
    const { lines, outputLines } = await runAllCommands();

    expect(outputLines.filter(isLeak)).toEqual([]);
    expect(lines.filter((line) => isLeak(line) && !isDumpByPulumi(line))).toEqual([]);
    expect(lines.some((line) => line.includes("[redacted]"))).toBe(true);
  });

  // The debug messages in the stream come from the SDK, and YAML has none. SECURITY.md says so.
  it.each([
    { program: yamlProgram, shown: [] },
    { program: javascriptProgramOfPlugin, shown: [urlToken, queryToken, "whsec_"] },
  ])("are in clear in the events (--json) of $program.name: $shown", async (row) => {
    const service = await startLocalService({ apiKeys: [apiKey] });
    await withStack(
      async ({ declare, declareText, pulumi }) => {
        await declare({ orders: { args: webhookArgs({ url: { "fn::secret": secretUrl } }) } });
        if (row.program !== yamlProgram) {
          await declareText(programOf("pulumi-dbwebhooks/native"));
        }
        const shownBy = async (...command: string[]) => {
          const { exitCode, output } = await pulumi([...command, "--yes", "--skip-preview"]);
          expect(exitCode, output).toBe(0);
          return tokens.filter((token) => output.includes(token));
        };

        expect(await shownBy("up", "--json")).toEqual(row.shown);
        expect(await shownBy("refresh", "--run-program", "--json")).toEqual(row.shown);
        expect(await shownBy("destroy", "--run-program", "--json")).toEqual(row.shown);
        expect(await shownBy("up")).toEqual([]);
        expect(await shownBy("destroy", "--json")).toEqual([]);
        expect(service.counts).toMatchObject({ created: 2, deletes: 2 });
      },
      { service, program: row.program },
    );
  });
});

// The service's secrets all begin like this.
const tokens = [apiKey, urlToken, queryToken, "whsec_"];

/** Declares the webhook `orders` with an url that is a secret to the program only, not to the CLI. */
function programOf(entry: string): string {
  return `
    const { Webhook } = require("${entry}");
    const pulumi = require("@pulumi/pulumi");
    const { args } = require("./webhooks.json").orders;
    const url = pulumi.secret(${JSON.stringify(secretUrl)});
    const orders = new Webhook("orders", { ...args, url });
    exports.ordersSecret = orders.secret;
  `;
}

function isLeak(line: string): boolean {
  return tokens.some((token) => line.includes(token));
}

/**
 * In debug messages Pulumi writes all values in clear, whatever the provider: the engine what it
 * exchanges with providers (from -v=9 on), the SDK what it hears of resources (from -v=3 on, and in
 * every event log). The README says so.
 */
function isDumpByPulumi(line: string): boolean {
  return /"(Unm|M)arshaling property for RPC\[|RegisterResource RPC finished:/.test(line);
}

/**
 * Runs every command that handles a webhook, failures included. Returns all it left to read: its
 * output and the state, and with these the logs.
 */
async function runAllCommands(): Promise<{ lines: string[]; outputLines: string[] }> {
  const service = await startLocalService({ apiKeys: [apiKey] });
  const outputs: string[] = [];
  const logs: string[] = [];
  await withStack(
    async ({ directory, declare, declareText, pulumi }) => {
      const eventLog = join(directory, "events.json");
      const runAll = async (...commands: string[][]) => {
        for (const command of commands) {
          // Makes the event log available, which the Automation API reads.
          const environment = { PULUMI_DEBUG_COMMANDS: "true" };
          const args = [...command, "-v=9", "--logtostderr"];
          const { stdout, stderr } = await pulumi(args, environment);
          outputs.push(stdout);
          logs.push(stderr);
        }
      };
      const declareEvent = (event: string) =>
        declare({ orders: { args: webhookArgs({ events: [event] }) } });
      await declareText(programOf("pulumi-dbwebhooks"));
      await declareEvent("record.created");
      await runAll(
        ["preview", "--diff"],
        ["preview", "--json"],
        ["up", "--yes", "--skip-preview", "--diff", "--event-log", eventLog],
      );
      expect(service.webhooks).toHaveLength(1);
      await declareEvent("record.updated");
      const echo = service.inject({ fault: echoAuthorization() });
      await runAll(["preview", "--diff"], ["up", "--yes", "--skip-preview", "--diff"]);
      echo.remove();
      await runAll(
        ["up", "--yes", "--skip-preview", "--diff"],
        ["stack", "export"],
        ["refresh", "--yes", "--skip-preview", "--diff"],
        ["stack", "output"],
        ["stack", "output", "--json"],
      );
      expect(service.counts.created).toBe(2);
      // Prints debug messages without any flag. SECURITY.md says so.
      const { stdout: eventStream } = await pulumi(["up", "--yes", "--skip-preview", "--json"]);
      expect(eventStream.split("\n").filter(isLeak)).not.toEqual([]);
      logs.push(eventStream);
      const destroyed = await pulumi([
        "destroy",
        "--yes",
        "--skip-preview",
        "--run-program",
        "--json",
      ]);
      expect(destroyed.stdout.split("\n").filter(isLeak)).not.toEqual([]);
      logs.push(destroyed.stdout);
      await declareEvent("record.created");
      await runAll(["up", "--yes", "--skip-preview"]);
      await declareEvent("no.such.event");
      await runAll(["preview", "--diff"]);
      service.inject({ fault: echoAuthorization(401) });
      await runAll(["destroy", "--yes", "--skip-preview", "--diff"]);
      service.clearFaults();
      logs.push(await readFile(eventLog, "utf8"));
      outputs.push(...(await textsBelow(join(directory, "..", "state"))));
    },
    { service },
  );
  const linesOf = (texts: readonly string[]) => texts.flatMap((text) => text.split("\n"));
  return { lines: linesOf([...outputs, ...logs]), outputLines: linesOf(outputs) };
}

async function textsBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), "latin1")),
  );
}
