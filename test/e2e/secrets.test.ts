import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { CommandResult } from "../helpers/commands.js";
import { echoAuthorization } from "../helpers/faults/faults.mjs";
import { javascriptProgram, webhookArgs } from "../helpers/programs.js";
import { noPromptFlags, shareStack } from "../helpers/stack.js";

const secretUrl = "https://example.com/url-path-token?signature=query-token";
// The API key, the parts of the url, and the prefix of each secret.
const isLeak = (line: string) => /local-api-key|url-path-token|query-token|whsec_/.test(line);

/**
 * In debug messages Pulumi writes all values in clear text, whatever the provider: the engine writes what
 * it exchanges with providers (from -v=9 on), and the SDK what the engine tells it about resources (from
 * -v=3 on, and in every event log). SECURITY.md warns of it.
 */
const isDebugMessageOfPulumi = (line: string) =>
  /"(Unm|M)arshaling property for RPC\[|RegisterResource RPC finished:/.test(line);

/**
 * A webhook with a secret url, and one that a transformation makes adopt an existing webhook. The
 * transformation also drops the option that marks the output `secret` as a secret.
 */
const programOf = (event: string, adopt: object) => `
  const { Webhook } = require("pulumi-dbwebhooks");
  const pulumi = require("@pulumi/pulumi");
  pulumi.runtime.registerStackTransformation(({ name, props, opts }) => ({
    props: name === "adopted" ? { ...props, adopt: ${JSON.stringify(adopt)} } : props,
    opts: { ...opts, additionalSecretOutputs: [] },
  }));
  const args = ${JSON.stringify(webhookArgs())};
  new Webhook("adopted", args);
  const url = pulumi.secret("${secretUrl}");
  exports.ordersSecret = new Webhook("orders", { ...args, url, events: ["${event}"] }).secret;
`;

const wrongProgram = `
  const { Webhook } = require("pulumi-dbwebhooks");
  const adopt = { id: "1", secret: "whsec_\\n" };
  new Webhook("wrong", { databaseId: "..", url: "url-path-token", events: ["no.such.event"], adopt });
`;
const wrongSettings = {
  DBWEBHOOKS_BASE_URL: "local-api-key",
  DBWEBHOOKS_API_KEY: "local-api-key with spaces",
  DBWEBHOOKS_TIMEOUT_SECONDS: "soon",
};

describe("Secrets on the real CLI, with Pulumi's most detailed log,", () => {
  const stack = shareStack({ program: javascriptProgram });
  const outputs: string[] = [];
  const logs: string[] = [];
  const exitCodes: (number | null)[] = [];
  let refused: CommandResult;
  const up = async (...flags: string[]) => {
    // Makes the event log available, which the Automation API reads.
    const environment = { PULUMI_DEBUG_COMMANDS: "true" };
    const args = ["up", ...noPromptFlags, "--diff", "-v=9", "--logtostderr", ...flags];
    const { exitCode, stdout, stderr } = await stack().pulumi(args, environment);
    outputs.push(...stdout.split("\n"));
    logs.push(...stderr.split("\n"));
    exitCodes.push(exitCode);
  };

  beforeAll(async () => {
    const { service, createByHand, directory, writeProgram } = stack();
    const adopt = await createByHand();
    const eventLog = join(directory, "events.json");
    await writeProgram(programOf("record.created", adopt));
    await up("--event-log", eventLog);
    await writeProgram(programOf("record.updated", adopt));
    service.inject({ fault: echoAuthorization() });
    await up();
    await writeProgram(wrongProgram);
    refused = await stack().pulumi(["preview"], wrongSettings);
    outputs.push(...refused.output.split("\n"));
    logs.push(...(await readFile(eventLog, "utf8")).split("\n"));
  });

  it("are neither printed nor stored in clear text, not even by commands that fail", async () => {
    const stored = (await stack().storedText()).split("\n");

    const [created, notReplaced] = exitCodes;
    expect(created).toBe(0);
    expect(notReplaced).not.toBe(0);
    expect([...outputs, ...stored].filter(isLeak)).toEqual([]);
  });

  it("are in no line of the log or the event log that this package writes", () => {
    expect(logs.filter((line) => isLeak(line) && !isDebugMessageOfPulumi(line))).toEqual([]);
    expect(logs.some((line) => line.includes("[withheld:"))).toBe(true);
  });

  it("are not in a preview that names every wrong setting and argument", () => {
    const settings = ["baseUrl", "apiKey", "timeoutSeconds"].map((name) => `dbwebhooks:${name}`);

    expect(refused.exitCode).not.toBe(0);
    for (const name of [...settings, "databaseId", "url", "events[0]", "adopt.secret"]) {
      expect(refused.output).toContain(` ${name}: `);
    }
    expect(refused.output).not.toMatch(/\n\s+at /);
  });
});
