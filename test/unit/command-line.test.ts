import { describe, expect, it, onTestFinished, vi } from "vitest";
import { commands, runCommand } from "../../src/cli/commands.ts";
import { UsageError } from "../../src/cli/options.ts";
import { recorder, startText } from "../../src/cli/serve-log.ts";
import { type ReceivedRequest, startLocalService } from "../../src/local-service/index.ts";
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

/** The usage error that Commander writes for these arguments, and the exit code. */
async function refusalOf(args: readonly string[]) {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const before = process.exitCode;
  try {
    await runCommand(args);
    return { exitCode: process.exitCode, stderr: write.mock.calls.join("") };
  } finally {
    write.mockRestore();
    process.exitCode = before;
  }
}

const emit = ["emit", "record.created", "--database", "base_1"];
const notServeKey = "--api-key (or DBWEBHOOKS_SERVE_API_KEYS): must be KEY or KEY=DATABASE,DATA";

describe("pulumi-dbwebhooks", () => {
  it.each([
    ["no command", [], "Usage: pulumi-dbwebhooks COMMAND [options]"],
    ["an unknown command", ["emti"], "Did you mean emit?"],
    ["an unknown option", ["serve", "--api-kee=sk_live_1"], "unknown option '--api-kee=…'"],
    ["a value that an option does not take", ["serve", "--listing=sk_live_'1"], "'--listing=…'"],
    ["an unknown short option", ["serve", "-ksk_live_1"], "unknown option '-k…'"],
    ["a value for a command without arguments", ["plugin-path", "sk_live_1"], "too many arguments"],
    ["no database", ["emit", "record.created"], "required option '--database <ID>'"],
  ])("refuses %s without repeating a value", async (_, args, message) => {
    const { exitCode, stderr } = await refusalOf(args);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("sk_live");
  });

  it("exits with 0 after it has shown its help", async () => {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    onTestFinished(() => write.mockRestore());

    const { exitCode } = await refusalOf(["emit", "--help"]);

    expect(exitCode).toBe(0);
    expect(write.mock.calls.join("")).toContain("--database <ID>");
  });

  it.each<[string[], string, Record<string, string>?]>([
    [["serve", "--port", "65536"], "--port: must be a number from 0 to 65535. See --help."],
    [["serve", "--host", "0.0.0.0"], "--host: others could reach this address, and keys and secr"],
    [["serve", "--api-key", "key="], notServeKey],
    [["serve"], notServeKey, { DBWEBHOOKS_SERVE_API_KEYS: "one two=" }],
    [["serve", "--api-key", "a", "--api-key", "a=b"], "the same key is given twice."],
    [["serve", "--deliver-to", "http://h/path"], "--deliver-to: must be an origin, such as http"],
    [[...emit, "--data", "{"], "--data: must be a JSON object, such as"],
    [[...emit, "--wait", "601"], "--wait: must be a number of seconds, 0 to 600."],
    [[...emit, "--url", "x"], "--url (or DBWEBHOOKS_BASE_URL): must be an absolute http or https"],
    [[...emit, "--api-key=sk_live\n_1"], "--api-key (or DBWEBHOOKS_SERVE_API_KEYS): must be vis"],
  ])("refuses %j: %s", async (words, message, environment) => {
    const problem = await failureOf(words, environment);

    expect(problem).toBeInstanceOf(UsageError);
    expect(problem.message).toContain(message);
    expect(problem.message).not.toContain("sk_live");
  });

  it("has options that docs/local-service.md lists in the same order", () => {
    const page = readPage("docs/local-service.md");
    const listed = [...page.matchAll(/^\| `(--[\w-]+)/gm)].map(([, name]) => name);

    expect(listed).toEqual(commands.flatMap(({ options }) => options.map(({ long }) => long)));
  });
});

describe("The service that serve starts", () => {
  const start = vi.mocked(startLocalService);
  const startedWith = async (words: readonly string[], environment = {}) => {
    start.mockClear().mockRejectedValue(new Error("started"));
    expect((await failureOf(["serve", ...words], environment)).message).toBe("started");
    return start.mock.calls[0]?.[0];
  };

  it.each<[string, string[], string, object]>([
    ["the default key without keys", [], " ", { "local-api-key": "*" }],
    [
      "the keys of the variable, with their databases",
      [],
      " all\nsome=base_1,base_2 ",
      { all: "*", some: ["base_1", "base_2"] },
    ],
    [
      "the keys of the options",
      ["--api-key", "one", "--api-key", "b=c"],
      "two",
      { one: "*", b: ["c"] },
    ],
  ])("has %s", async (_case, words, variable, apiKeys) => {
    const environment = { DBWEBHOOKS_SERVE_API_KEYS: variable };

    expect(await startedWith(words, environment)).toMatchObject({ apiKeys });
  });

  it("has the other options, and keeps no requests", async () => {
    const words =
      "--host [::] --port 0 --allow-remote --listing --data a.db --rate-limit 0.5 --deliver-to http://h:1 --allow-unknown-events";

    expect(await startedWith(words.split(" "))).toMatchObject({
      host: "::",
      port: 0,
      allowRemote: true,
      listing: true,
      data: "a.db",
      maxRequests: 0,
      allowUnknownEvents: true,
      deliveries: { deliverTo: "http://h:1" },
      rateLimit: { requestsPerSecond: 0.5 },
    });
  });

  it("is strict without options", async () => {
    expect(await startedWith(["--host", "LOCALHOST"])).toMatchObject({
      host: "LOCALHOST",
      port: 8787,
      allowRemote: false,
      listing: false,
      allowUnknownEvents: false,
    });
  });

  it("prints the settings that other machines need", () => {
    const settings = { listing: false, allowRemote: true, allowUnknownEvents: false, apiKeys: 1 };
    const started = { type: "started", webhooks: 0, ...settings } as const;

    const text = startText({ ...started, baseUrl: "http://[::]:8787" }, "::");

    expect(text).toContain(":8787, for everybody who can reach it\n");
    expect(text).toContain("dbwebhooks:baseUrl http://ADDRESS_OF_THIS_MACHINE:8787\n");
    expect(text).toContain("set dbwebhooks:allowInsecureBaseUrl true\n");
  });
});

describe("The log of serve", () => {
  const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
  const request: ReceivedRequest = {
    number: 1,
    method: "POST",
    path: "/",
    headers: {},
    committed: false,
    outcome: "answered",
    statusCode: 500,
  };

  it("shows no key that a client sends, and cuts long text", () => {
    const problem = `${apiKey} ${"x".repeat(1024 * 1024)}`;

    const record = recorder([apiKey])({
      type: "request",
      request: { ...request, databaseId: apiKey, problem },
    });

    expect(JSON.stringify(record)).not.toContain(apiKey);
    expect(JSON.stringify(record).length).toBeLessThan(1_000);
  });
});
