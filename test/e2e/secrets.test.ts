import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { withheldText } from "../../src/common/redaction.ts";
import { someArgs } from "../helpers/builders.ts";
import { echoAuthorization } from "../helpers/faults/faults.mts";
import { javascriptProgram } from "../helpers/programs.ts";
import { noPromptFlags, shareStack } from "../helpers/stack.ts";

const secretUrl = "https://example.com/url-path-token?signature=query-token";
// The API key, the parts of the url, and the prefix of each secret.
const isLeak = (line: string) => /local-api-key|url-path-token|query-token|whsec_/.test(line);

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

describe("Secrets on the real CLI, with Pulumi's debug log,", () => {
  const stack = shareStack({ program: javascriptProgram });
  const outputs: string[] = [];
  const logs: string[] = [];
  const exitCodes: (number | null)[] = [];
  const up = async () => {
    const eventLog = join(stack().directory, `events-of-update-${exitCodes.length}.json`);
    // Enables --event-log, whose file the Automation API reads.
    const environment = { PULUMI_DEBUG_COMMANDS: "true" };
    const flags = ["--diff", "-v=9", "--logtostderr", "--event-log", eventLog];
    const update = await stack().pulumi(["up", ...noPromptFlags, ...flags], environment);
    outputs.push(...update.stdout.split("\n"));
    logs.push(...`${update.stderr}\n${await readFile(eventLog, "utf8")}`.split("\n"));
    exitCodes.push(update.exitCode);
  };

  beforeAll(async () => {
    const { service, writeProgram } = stack();
    await writeProgram(programOf("record.created"));
    await up();
    await writeProgram(programOf("record.updated"));
    const removeFault = service.use(echoAuthorization());
    await up();
    removeFault();
  });

  it("are neither on stdout nor in the backend in clear text, not even after an update that fails", async () => {
    const stored = (await stack().storedText()).split("\n");

    const [created, notReplaced] = exitCodes;
    expect(created).toBe(0);
    expect(notReplaced).not.toBe(0);
    expect([...outputs, ...stored].filter(isLeak)).toEqual([]);
  });

  it("are in no line that this package writes to the log or the event log", () => {
    expect(logs.filter((line) => isLeak(line) && !isDebugMessageOfPulumi(line))).toEqual([]);
    // This stands in place of the service's error, which repeats the key.
    expect(logs.some((line) => line.includes(withheldText))).toBe(true);
  });
});
