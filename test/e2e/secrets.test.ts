import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { textsBelow } from "../helpers/directory.js";
import { echoAuthorization } from "../helpers/faults/faults.mjs";
import { createWebhook } from "../helpers/local-service.js";
import { unasked, webhookArgs, withStack } from "../helpers/stack.js";

const urlToken = "url-path-token-9c3e";
const queryToken = "query-token-41d8";
const secretUrl = `https://example.com/${urlToken}?signature=${queryToken}`;
// The API key; the service's secrets all begin like the last one.
const tokens = ["local-api-key", urlToken, queryToken, "whsec_"];
const isLeak = (line: string) => tokens.some((token) => line.includes(token));

/**
 * In debug messages Pulumi writes all values in clear, whatever the provider: the engine what it
 * exchanges with providers (from -v=9 on), the SDK what it hears of resources (from -v=3 on, and in
 * every event log). SECURITY.md says so.
 */
const isDumpByPulumi = (line: string) =>
  /"(Unm|M)arshaling property for RPC\[|RegisterResource RPC finished:/.test(line);

describe("Secrets on the real CLI", () => {
  it("stay out of all output, states, the event log and what this package adds to Pulumi's most detailed log", async () => {
    const service = await startLocalService({ apiKeys: ["local-api-key"] });
    const { databaseId, ...body } = webhookArgs() as { databaseId: string };
    const { json: adopt } = await createWebhook(service, { databaseId, body });
    await withStack(
      async (stack) => {
        const { directory, pulumi } = stack;
        const outputs: string[] = [];
        const logs: string[] = [];
        const runAll = async (...commands: string[][]) => {
          for (const command of commands) {
            // Makes the event log available, which the Automation API reads.
            const environment = { PULUMI_DEBUG_COMMANDS: "true" };
            const { stdout, stderr } = await pulumi(
              [...command, "-v=9", "--logtostderr"],
              environment,
            );
            outputs.push(stdout);
            logs.push(stderr);
          }
        };
        const declareEvent = (event: string) => stack.declareText(programOf(event, adopt));
        const eventLog = join(directory, "events.json");

        await declareEvent("record.created");
        await runAll(["preview", "--json"], ["up", "--yes", "--diff", "--event-log", eventLog]);
        expect(service.counts.created).toBe(2);
        await declareEvent("record.updated");
        const echo = service.inject({ fault: echoAuthorization() });
        await runAll(["up", ...unasked, "--diff"]);
        echo.remove();
        await runAll(
          ["up", ...unasked, "--diff"],
          ["stack", "export"],
          ["refresh", ...unasked, "--diff"],
          ["stack", "output", "--json"],
        );
        expect(service.counts.created).toBe(3);
        await declareEvent("no.such.event");
        await runAll(["preview", "--diff"]);
        service.inject({ fault: echoAuthorization(401) });
        await runAll(["destroy", ...unasked, "--diff"]);
        service.clearFaults();

        outputs.push(...Object.values(await textsBelow(join(directory, "..", "state"))));
        logs.push(await readFile(eventLog, "utf8"));
        const linesOf = (texts: readonly string[]) => texts.flatMap((text) => text.split("\n"));
        expect(linesOf(outputs).filter(isLeak)).toEqual([]);
        const logged = linesOf(logs);
        expect(logged.filter((line) => isLeak(line) && !isDumpByPulumi(line))).toEqual([]);
        expect(logged.some((line) => line.includes("[withheld:"))).toBe(true);
      },
      { service },
    );
  });
});

/** A webhook with a url that is a secret, and one whose adoption comes from a transformation. */
function programOf(event: string, adopt: object): string {
  return `
    const { Webhook } = require("pulumi-dbwebhooks");
    const pulumi = require("@pulumi/pulumi");
    pulumi.runtime.registerStackTransformation(({ name, props, opts }) => ({
      props: name === "adopted" ? { ...props, adopt: ${JSON.stringify(adopt)} } : props,
      opts: { ...opts, additionalSecretOutputs: [] },
    }));
    const args = ${JSON.stringify(webhookArgs())};
    new Webhook("adopted", args);
    const url = pulumi.secret(${JSON.stringify(secretUrl)});
    exports.ordersSecret = new Webhook("orders", { ...args, url, events: ["${event}"] }).secret;
  `;
}
