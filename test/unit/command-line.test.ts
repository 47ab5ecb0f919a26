import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runCommand } from "../../src/cli/commands.ts";
import { UsageError } from "../../src/cli/usage-error.ts";
import { errorOf } from "../helpers/error-of.ts";

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

describe("pulumi-dbwebhooks serve", () => {
  it.each([
    [["--prot", "1"], "--prot is not known; did you mean --port? See --help."],
    [["--api-kee=sk_live_1"], "--api-kee is not known; did you mean --api-key? See --help."],
    [["--listing=sk_live_1"], "--listing takes no value. See --help."],
    [["-ksk_live_1"], /^-k is not known; there are --port, --host, .*, --help\. See --help\.$/],
    [["more"], /^too many arguments for 'serve'\..* See --help\.$/],
    [["--port"], "option '--port <PORT>' argument missing. See --help."],
    [["--port", "65536"], "--port: must be a number from 0 to 65535. See --help."],
    [["--port", "1.5"], "--port: must be a number from 0 to 65535. See --help."],
    [["--rate-limit", "0"], "--rate-limit: must be a number from 0.001 to 1000000. See --help."],
    [
      ["--api-key", "key="],
      "--api-key: must be KEY or KEY=DATABASE,DATABASE; KEY without = in it.",
    ],
    [["--api-key", "a", "--api-key", "a=b"], "--api-key: the same key is given twice."],
    [["--host", "0.0.0.0"], /^--host: others could reach this address, .* Add --allow-remote if/],
  ])("refuses %j", async (args, message) => {
    expect(await usageErrorOf(["serve", ...args])).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
  });

  it.each([
    ...["foo", "127.0.0.1:9000", "http://127.0.0.1:9000/path", "ftp://127.0.0.1"],
    ...["http://user:password@127.0.0.1:9000", "http://127.0.0.1:9000?query=1"],
  ])("refuses --deliver-to %s", async (origin) => {
    expect(await usageErrorOf(["serve", "--port", "0", "--deliver-to", origin])).toBe(
      "--deliver-to: must be an origin, such as http://127.0.0.1:9000.",
    );
  });
});

describe("pulumi-dbwebhooks emit", () => {
  it.each([
    [["emit"], "missing required argument 'EVENT'. See --help."],
    [["emit", "a", "b"], "too many arguments for 'emit'."],
    [["emit", "record.created"], "emit needs --database ID. See --help."],
    [
      ["emit", "a", "--databse", "b"],
      "--databse is not known; did you mean --database? See --help.",
    ],
    [["emit", "a", "--database", "b", "--data", "{"], "--data: must be a JSON object, such as"],
    [["emit", "a", "--database", "b", "--wait", "x"], "--wait: must be a number of seconds, 0 to"],
    [["emit", "a", "--database", "b", "--url", "x"], "--url (or DBWEBHOOKS_BASE_URL): must be an"],
    [["emti", "--help"], "emti is not known; did you mean emit?"],
    [["emti"], "emti is not known; did you mean emit? See --help."],
    [["--versoin"], "--versoin is not known; did you mean --version? See --help."],
    [[], "A command is missing."],
  ])("refuses %j", async (args, message) => {
    expect(await usageErrorOf(args)).toContain(message);
  });

  it.each<[string, string[], Record<string, string>]>([
    ["another host", ["--url", "https://192.0.2.1"], {}],
    ["its own host without TLS", [], { DBWEBHOOKS_BASE_URL: "http://192.0.2.1" }],
  ])("sends the key of the environment not to %s", async (_case, more, environment) => {
    setEnvironment({ ...environment, DBWEBHOOKS_API_KEY: "sk_live_K7pQ2mX9vT4wZ8aB" });
    const words = ["emit", "record.created", "--database", "base_1", ...more];

    expect(await usageErrorOf(words)).toContain("--api-key: is needed");
  });

  it("refuses an empty key", async () => {
    const words = ["emit", "record.created", "--database", "base_1", "--api-key="];

    expect(await usageErrorOf(words)).toContain("--api-key (or DBWEBHOOKS_API_KEY): must be");
  });

  it.each(["sk_live\n_1", "sk live", "schlüssel"])("refuses the key %j", async (apiKey) => {
    const words = ["emit", "record.created", "--database", "base_1"];
    const problem =
      "--api-key (or DBWEBHOOKS_API_KEY): must be visible ASCII characters, without spaces and line breaks.";

    expect(await usageErrorOf([...words, `--api-key=${apiKey}`])).toBe(problem);
    setEnvironment({ DBWEBHOOKS_API_KEY: apiKey });
    expect(await usageErrorOf(words)).toBe(problem);
  });

  it("takes an empty variable for an absent one", async () => {
    const { apiKeys, url } = await startKeyReader();
    const words = ["emit", "record.created", "--database", "base_1"];

    setEnvironment({ DBWEBHOOKS_BASE_URL: url, DBWEBHOOKS_API_KEY: "" });
    await errorOf(runCommand(words));
    setEnvironment({ DBWEBHOOKS_BASE_URL: "", DBWEBHOOKS_API_KEY: "" });
    await errorOf(runCommand([...words, "--url", url]));

    expect(apiKeys).toEqual(["Bearer local-api-key", "Bearer local-api-key"]);
  });

  it.each(["<html></html>", "", "{}", "null", '"id"', '{"id":"evt_1","deliveries":[null]}'])(
    "says that who answers 200 with %j is no local service",
    async (body) => {
      const server = createServer((_, response) => response.end(body));
      onTestFinished(() => void server.close());
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const words = ["emit", "record.created", "--database", "base_1", "--url", url];

      const error = await errorOf(runCommand(words));

      expect(error).not.toBeInstanceOf(UsageError);
      expect(error.message).toBe(`${url} answered 200: it is no local service. Check --url.`);
    },
  );
});

/** A server that answers nothing of use, and keeps the keys that it is sent. */
async function startKeyReader(): Promise<{ apiKeys: (string | undefined)[]; url: string }> {
  const apiKeys: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    apiKeys.push(headers.authorization);
    response.end();
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { apiKeys, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
