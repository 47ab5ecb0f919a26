import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withheldText } from "../../src/common/redaction.ts";
import { someArgs } from "../helpers/builders.ts";
import { echoAuthorization, isPost, times } from "../helpers/faults/faults.mts";
import { secretOr } from "../helpers/leaks.ts";
import { noPromptFlags, withStack } from "../helpers/stack.ts";

const secretUrl = "https://example.com/url-path-token?signature=query-token";
const leak = secretOr(/local-api-key|url-path-token|query-token/);
const isLeak = (line: string) => leak.test(line);

/**
 * In debug messages Pulumi writes all values in clear text, whatever the provider: the engine
 * writes what it exchanges with providers (from -v=9 on), and the SDK writes the outputs that the
 * engine returns for each resource (from -v=3 on, and in every event log). SECURITY.md warns of it.
 */
const isDebugMessageOfPulumi = (line: string) =>
  /"(Unm|M)arshaling property for RPC\[|RegisterResource RPC finished:/.test(line);

/**
 * A webhook with a secret url. A transformation drops additionalSecretOutputs, so only the provider
 * protects the signing secret, and not the SDK.
 */
const programOf = (event: string) => `
  const { Webhook } = require("pulumi-dbwebhooks");
  const pulumi = require("@pulumi/pulumi");
  pulumi.runtime.registerStackTransformation(({ props, opts }) => ({
    props,
    opts: { ...opts, additionalSecretOutputs: [] },
  }));
  const args = ${JSON.stringify(someArgs())};
  const url = pulumi.secret("${secretUrl}");
  exports.ordersSecret = new Webhook("orders", { ...args, url, events: ["${event}"] }).secret;
`;

it("No secret is in Pulumi's output, in the backend in clear text, or in what this package logs", () =>
  withStack(async ({ service, directory, pulumi, storedText, writeProgram }) => {
    const eventLog = join(directory, "events.json");
    const up = async (event: string) => {
      await writeProgram(programOf(event));
      // Enables --event-log, whose file the Automation API reads.
      const environment = { PULUMI_DEBUG_COMMANDS: "true" };
      const flags = ["--diff", "-v=9", "--logtostderr", "--event-log", eventLog];
      const update = await pulumi(["up", ...noPromptFlags, ...flags], environment);
      return { ...update, log: update.stderr + (await readFile(eventLog, "utf8")) };
    };

    const created = await up("record.created");
    service.use(times(1, echoAuthorization(), isPost));
    const notReplaced = await up("record.updated");

    expect(created.exitCode).toBe(0);
    expect(notReplaced.exitCode).not.toBe(0);
    const shown = created.stdout + notReplaced.stdout + (await storedText());
    expect(shown.split("\n").filter(isLeak)).toEqual([]);
    const logs = (created.log + notReplaced.log).split("\n");
    expect(logs.filter((line) => isLeak(line) && !isDebugMessageOfPulumi(line))).toEqual([]);
    // This stands in place of the service's error, which repeats the key.
    expect(logs.some((line) => line.includes(withheldText))).toBe(true);
  }));
