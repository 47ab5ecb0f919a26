import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { echoAuthorization } from "../helpers/faults.mjs";
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

  it("stay out of all output, the state and what this package adds to the event log", async () => {
    const { lines, eventLines } = await runAllCommands([]);

    expect(lines.filter(isLeak)).toEqual([]);
    expect(eventLines.filter((line) => isLeak(line) && !isDumpByPulumi(line))).toEqual([]);
    expect(lines.join()).toContain("[redacted]");
  });

  it("stay out of all that this package adds to Pulumi's most detailed log", async () => {
    const { lines } = await runAllCommands(["-v=9", "--logtostderr"]);

    expect(lines.filter((line) => isLeak(line) && !isDumpByPulumi(line))).toEqual([]);
    expect(lines.join()).toContain("[redacted]");
  });
});

// The service's secrets all begin like this.
const tokens = [apiKey, urlToken, queryToken, "whsec_"];

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

/** Runs every command that handles a webhook, failures included; returns all it left to read. */
async function runAllCommands(
  logging: readonly string[],
): Promise<{ lines: string[]; eventLines: string[] }> {
  const service = await startLocalService({ apiKeys: [apiKey] });
  const texts: string[] = [];
  let events = "";
  await withStack(
    async ({ directory, declare, declareText, pulumi }) => {
      const eventLog = join(directory, "events.json");
      const runAll = async (...commands: string[][]) => {
        for (const command of commands) {
          // Makes the event log available, which the Automation API reads.
          const environment = { PULUMI_DEBUG_COMMANDS: "true" };
          texts.push((await pulumi([...command, ...logging], environment)).output);
        }
      };
      const declareEvent = (event: string) => declare({ events: [event] } as never);
      // A secret to the program only: the CLI has never heard of it.
      await declareText(`
        const { Webhook } = require("pulumi-dbwebhooks");
        const pulumi = require("@pulumi/pulumi");
        const { events } = require("./webhooks.json");
        const url = pulumi.secret(${JSON.stringify(secretUrl)});
        const orders = new Webhook("orders", { ...${JSON.stringify(webhookArgs())}, url, events });
        exports.ordersSecret = orders.secret;
      `);
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
      await declareEvent("no.such.event");
      await runAll(["preview", "--diff"]);
      service.inject({ fault: echoAuthorization(401) });
      await runAll(["destroy", "--yes", "--skip-preview", "--diff"]);
      service.clearFaults();
      events = await readFile(eventLog, "utf8");
      texts.push(...(await textsBelow(join(directory, "..", "state"))));
    },
    { service },
  );
  return { lines: texts.flatMap((text) => text.split("\n")), eventLines: events.split("\n") };
}

async function textsBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), "latin1")),
  );
}
