import { describe, expect, it, onTestFinished, vi } from "vitest";
import { commands, runCommand } from "../../src/cli/commands.ts";
import { UsageError } from "../../src/cli/usage-error.ts";
import { startLocalService } from "../../src/local-service/index.ts";
import { errorOf } from "../helpers/error-of.ts";

vi.mock("../../src/local-service/index.js", async (importOriginal) => {
  const original = await importOriginal<typeof import("../../src/local-service/index.js")>();
  const start = vi.fn().mockRejectedValue(new Error("started"));
  return { ...original, startLocalService: start };
});

/** The message of words that cannot be understood; `main` writes it, and ends with 2. */
async function usageErrorOf(words: readonly string[]): Promise<string> {
  const error = await errorOf(runCommand(words));
  expect(error).toBeInstanceOf(UsageError);
  return error.message;
}

function setEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(environment)) {
    vi.stubEnv(name, value);
  }
  onTestFinished(() => void vi.unstubAllEnvs());
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
    [["--versoin"], "--versoin is unknown; did you mean --version? (see --help)"],
    [["serve", "--prot", "1"], "--prot is unknown; did you mean --port? (see --help)"],
    [["serve", "--api-kee=sk_live_1"], "--api-kee is unknown; did you mean --api-key? (see"],
    [["serve", "--listing=sk_live_1"], "--listing takes no value (see --help)"],
    [["serve", "-ksk_live_1"], "-k is unknown; expected one of --port, --host,"],
    [["serve", "more"], "(see --help)"],
    [["serve", "--port"], "--port"],
    [["serve", "--port", "65536"], "--port: must be a number from 0 to 65535. See --help."],
    [["serve", "--port", "1.5"], "--port: must be a number from 0 to 65535. See --help."],
    [["serve", "--rate-limit", "0"], "--rate-limit: must be a number from 0.001 to 1000000."],
    [["serve", "--host", "0.0.0.0"], "--host: others could reach this address, and keys and secr"],
    [["serve", "--api-key", "key="], notServeKey],
    [["serve"], notServeKey, { DBWEBHOOKS_SERVE_API_KEYS: "one two=" }],
    [["serve", "--api-key", "a", "--api-key", "a=b"], "the same key is given twice."],
    [["serve", "--deliver-to", "foo"], "--deliver-to: must be an origin, such as http://127.0.0"],
    [["serve", "--deliver-to", "http://h/path"], "--deliver-to: must be an origin, such as http"],
    [["emit"], "EVENT"],
    [["emit", "a", "b"], "(see --help)"],
    [["emit", "record.created"], "emit needs --database ID. See --help."],
    [[...emit, "--data", "{"], "--data: must be a JSON object, such as"],
    [[...emit, "--wait", "x"], "--wait: must be a number of seconds, 0 to 600."],
    [[...emit, "--wait", "601"], "--wait: must be a number of seconds, 0 to 600."],
    [[...emit, "--url", "x"], "--url (or DBWEBHOOKS_BASE_URL): must be an absolute http or https"],
    [[...emit, "--url", "https://192.0.2.1"], "--api-key: is needed for this URL.", elsewhere],
    [emit, "--api-key: is needed", { ...elsewhere, DBWEBHOOKS_BASE_URL: "http://192.0.2.1" }],
    [[...emit, "--api-key="], notEmitKey],
    [[...emit, "--api-key=sk_live\n_1"], notEmitKey],
    [emit, notEmitKey, { DBWEBHOOKS_API_KEY: "schlüssel" }],
  ])("refuses %j: %s", async (words, message, environment = {}) => {
    setEnvironment(environment);

    const problem = await usageErrorOf(words);

    expect(problem).toContain(message);
    expect(problem).not.toContain("sk_live");
  });

  it("names in its help what the exit codes of emit mean", async () => {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    onTestFinished(() => void write.mockRestore());
    const help = commands.find((command) => command.name() === "emit");

    help?.outputHelp();

    expect(write.mock.calls.join("")).toContain(
      "Exit code: 0 all delivered in time, no webhook selects it, or --wait 0; 1 not; 2 wrong usage.",
    );
  });
});

describe("the service that serve starts", () => {
  const startedWith = async (...words: string[]) => {
    vi.mocked(startLocalService).mockClear();
    expect((await errorOf(runCommand(["serve", ...words]))).message).toBe("started");
    return vi.mocked(startLocalService).mock.calls[0]?.[0];
  };

  it.each([
    ["local-api-key", [], {}, { "local-api-key": "*" }],
    ["local-api-key with an empty variable", [], { DBWEBHOOKS_SERVE_API_KEYS: " " }, undefined],
    [
      "those of the variable",
      [],
      { DBWEBHOOKS_SERVE_API_KEYS: " all\nsome=base_1,base_2 " },
      { all: "*", some: ["base_1", "base_2"] },
    ],
    ["those of its words", ["one"], { DBWEBHOOKS_SERVE_API_KEYS: "two" }, { one: "*" }],
  ])("has the keys %s", async (_case, keys, environment, expected) => {
    setEnvironment(environment);

    const options = await startedWith(...keys.flatMap((key) => ["--api-key", key]));

    expect(options?.apiKeys).toEqual(expected ?? { "local-api-key": "*" });
  });

  it("keeps no requests, bodies and deliveries", async () => {
    expect(await startedWith()).toMatchObject({ maxRequests: 0 });
  });
});
