import { describe, expect, it, onTestFinished, vi } from "vitest";
import { commands, runCommand } from "../../src/cli/commands.ts";
import { inColour, logLine } from "../../src/cli/log-lines.ts";
import { startText } from "../../src/cli/start-text.ts";
import { UsageError } from "../../src/cli/usage-error.ts";
import { startLocalService } from "../../src/local-service/index.ts";
import { errorOf } from "../helpers/error-of.ts";
import { readPage } from "../helpers/markdown.ts";

vi.mock("../../src/local-service/index.js", () => ({ startLocalService: vi.fn() }));

/** Runs a command that fails. */
function failureOf(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  for (const [name, value] of Object.entries(environment)) {
    vi.stubEnv(name, value);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  return errorOf(runCommand(words));
}

const emit = ["emit", "record.created", "--database", "base_1"];
const notEmitKey =
  "--api-key (or DBWEBHOOKS_API_KEY): must be visible ASCII characters, without spaces and line breaks.";
const notServeKey =
  "--api-key (or DBWEBHOOKS_SERVE_API_KEYS): must be KEY or KEY=DATABASE,DATABASE; KEY without = in it.";
const elsewhere = { DBWEBHOOKS_API_KEY: "sk_live_K7pQ2mX9vT4wZ8aB" };

describe("pulumi-dbwebhooks", () => {
  it.each<[string[], string, Record<string, string>?]>([
    [[], "A command is missing.\n\nUsage: pulumi-dbwebhooks COMMAND [options]"],
    [["emti", "--help"], "emti is unknown; did you mean emit? (see --help)"],
    [["serve", "--api-kee=sk_live_1"], "--api-kee is unknown; did you mean --api-key? (see"],
    [["serve", "--listing=sk_live_1"], "--listing takes no value (see --help)"],
    [["serve", "-ksk_live_1"], "-k is unknown; expected one of --port, --host,"],
    [["serve", "more"], "(see --help)"],
    [["serve", "--port", "65536"], "--port: must be a number from 0 to 65535. See --help."],
    [["serve", "--port", "1.5"], "--port: must be a number from 0 to 65535. See --help."],
    [["serve", "--rate-limit", "0"], "--rate-limit: must be a number from 0.001 to 1000000."],
    [["serve", "--host", "0.0.0.0"], "--host: others could reach this address, and keys and secr"],
    [["serve", "--api-key", "key="], notServeKey],
    [["serve"], notServeKey, { DBWEBHOOKS_SERVE_API_KEYS: "one two=" }],
    [["serve", "--api-key", "a", "--api-key", "a=b"], "the same key is given twice."],
    [["serve", "--deliver-to", "http://h/path"], "--deliver-to: must be an origin, such as http"],
    [["emit"], "EVENT"],
    [["emit", "record.created"], "emit needs --database ID. See --help."],
    [[...emit, "--data", "{"], "--data: must be a JSON object, such as"],
    [[...emit, "--wait", "x"], "--wait: must be a number of seconds, 0 to 600."],
    [[...emit, "--wait", "601"], "--wait: must be a number of seconds, 0 to 600."],
    [[...emit, "--url", "x"], "--url (or DBWEBHOOKS_BASE_URL): must be an absolute http or https"],
    [[...emit, "--url", "https://192.0.2.1"], "--api-key: is needed for this URL.", elsewhere],
    [emit, "--api-key: is needed", { ...elsewhere, DBWEBHOOKS_BASE_URL: "http://192.0.2.1" }],
    [[...emit, "--api-key="], notEmitKey],
    [[...emit, "--api-key=sk_live\n_1"], notEmitKey],
  ])("refuses %j: %s", async (words, message, environment) => {
    const problem = await failureOf(words, environment);

    expect(problem).toBeInstanceOf(UsageError);
    expect(problem.message).toContain(message);
    expect(problem.message).not.toContain("sk_live");
  });

  it("has its options listed, command by command", () => {
    const page = readPage("docs/local-service.md");
    const listed = [...page.matchAll(/^\| `(--[\w-]+)/gm)].map(([, name]) => name);

    expect(listed).toEqual(commands.flatMap(({ options }) => options.map(({ long }) => long)));
  });
});

describe("the service that serve starts", () => {
  const start = vi.mocked(startLocalService);
  const startedWith = async (words: readonly string[], variable?: string) => {
    start.mockClear().mockRejectedValue(new Error("started"));
    const environment = variable === undefined ? {} : { DBWEBHOOKS_SERVE_API_KEYS: variable };
    expect((await failureOf(["serve", ...words], environment)).message).toBe("started");
    return start.mock.calls[0]?.[0];
  };

  it.each<[string[], string | undefined, object]>([
    [[], undefined, { "local-api-key": "*" }],
    [[], " ", { "local-api-key": "*" }],
    [[], " all\nsome=base_1,base_2 ", { all: "*", some: ["base_1", "base_2"] }],
    [["--api-key", "one", "--api-key", "b=c"], "two", { one: "*", b: ["c"] }],
  ])("has with %j and the variable %j the keys %j", async (words, variable, apiKeys) => {
    expect(await startedWith(words, variable)).toMatchObject({ apiKeys });
  });

  it("has what the other options say", async () => {
    const more = ["--rate-limit", "0.5", "--deliver-to", "http://127.0.0.1:9000", "--data", "a.db"];
    const flags = ["--host", "::", "--port", "0", "--allow-remote", "--listing"];

    expect(await startedWith([...flags, "--allow-unknown-events", ...more])).toMatchObject({
      ...{ host: "::", port: 0, allowRemote: true, listing: true, allowUnknownEvents: true },
      rateLimit: { requestsPerSecond: 0.5 },
      deliveries: { deliverTo: "http://127.0.0.1:9000" },
      data: "a.db",
    });
  });

  it("is for this machine alone, and keeps no requests, bodies and deliveries", async () => {
    const options = { port: 8787, host: "127.0.0.1", allowRemote: false, listing: false };
    expect(await startedWith([])).toMatchObject({ ...options, maxRequests: 0 });
    expect(await startedWith(["--host", "[::1]"])).toMatchObject({ host: "::1" });
    expect(await startedWith(["--host", "LOCALHOST"])).toMatchObject({ allowRemote: false });
  });

  it.each([
    ["EADDRINUSE", "Port 8787 of 127.0.0.1 is taken. Choose another with --port"],
    ["EACCES", "Port 8787 of 127.0.0.1 may not be used by you."],
    ["EADDRNOTAVAIL", "127.0.0.1 is no address of this machine."],
  ])("explains %s", async (code, message) => {
    start.mockRejectedValue(Object.assign(new Error("listen"), { code }));

    expect((await failureOf(["serve"])).message).toContain(message);
  });

  it("says what other machines need, and shows no key that somebody chose", () => {
    const settings = { listing: false, allowRemote: true, allowUnknownEvents: false };
    const started = { type: "started", apiKeys: 1, webhooks: 0, pendingDeliveries: 0 } as const;
    const baseUrl = "http://[::]:8787";

    const text = startText(
      { ...started, ...settings, baseUrl },
      { host: "::", shownKey: undefined },
    );

    expect(text).toContain(":8787, for everybody who can reach it\n");
    expect(text).toContain(`
  pulumi config set dbwebhooks:baseUrl http://ADDRESS_OF_THIS_MACHINE:8787
  pulumi config set dbwebhooks:allowInsecureBaseUrl true
  pulumi config set --secret dbwebhooks:apiKey
`);
  });
});

describe("a line of the log of serve", () => {
  it("says what becomes of pending deliveries", () => {
    const stopped = { type: "stopped", pendingDeliveries: 1 } as const;

    expect(logLine(stopped)).toBe("Stopped. Deliveries still pending are lost: 1.");
    expect(logLine({ ...stopped, dataFile: "a.db" })).toContain("pending are kept in a.db: 1.");
  });

  it.each([
    ["\x1b[32m", { statusCode: 201, action: "created" as const }],
    ["\x1b[33m", { statusCode: 404 }],
    ["\x1b[31m", { statusCode: 500 }],
    ["a line", { statusCode: 200, action: "listed" as const }],
  ])("begins on a terminal with %j for %j", (start, answer) => {
    vi.stubEnv("FORCE_COLOR", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const request = { type: "request", method: "GET", path: "/", outcome: "answered" } as const;

    expect(inColour({ ...request, ...answer }, "a line").startsWith(start)).toBe(true);
  });
});
