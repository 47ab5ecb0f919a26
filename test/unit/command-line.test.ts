import { afterEach, describe, expect, it, vi } from "vitest";
import { commands, runCommand } from "../../src/cli/commands.ts";
import { startText } from "../../src/cli/serve-log.ts";
import { startLocalService } from "../../src/local-service/index.ts";
import { readPage } from "../helpers/markdown.ts";

vi.mock("../../src/local-service/index.js", () => ({ startLocalService: vi.fn() }));

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

/** Runs a command line in this process; returns its exit code and what it wrote. */
async function run(args: readonly string[]) {
  const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await runCommand(args);
  const textOf = ({ mock }: typeof stdout) => mock.calls.join("");
  return { exitCode: process.exitCode, stdout: textOf(stdout), stderr: textOf(stderr) };
}

const wrongKey = "--api-key (or DBWEBHOOKS_SERVE_API_KEYS): must be KEY or KEY=DATABASE,DATABASE";

describe("Wrong usage", () => {
  it.each([
    { line: "", message: "Usage: pulumi-dbwebhooks COMMAND [options]" },
    { line: "emti", message: "Did you mean emit?" },
    { line: "plugin-path sk_live_1", message: "too many arguments" },
    { line: "serve --api-kee=sk_live_1", message: "unknown option '--api-kee=…'" },
    { line: "serve -ksk_live_1", message: "unknown option '-k…'" },
    { line: "serve --listing=sk_live_'1", message: "'--listing=…'" },
    { line: "serve --port 65536", message: "--port: must be a whole number from 0 to 65535." },
    { line: "serve --port 8787.5", message: "--port: must be a whole number" },
    { line: "serve --host 0.0.0.0", message: "--host: this address is reachable" },
    { line: "serve --deliver-to http://h/path", message: "--deliver-to: must be an origin" },
    { line: "serve --api-key sk_live_ä", message: wrongKey },
    { line: "serve --api-key sk_live_1=", message: wrongKey },
    { line: "serve --api-key sk_live_1 --api-key sk_live_1=b", message: wrongKey },
    { line: "emit record.created", message: "required option '--database <ID>'" },
    { line: "emit a --database b --data [7]", message: "--data: must be a JSON object" },
    { line: "emit a --database b --wait x", message: "--wait: must be a number from 0 to 600." },
    { line: "emit a --database b --url x", message: "--url (or DBWEBHOOKS_BASE_URL): must be an" },
  ])("exits with 2 and shows no key: pulumi-dbwebhooks $line", async ({ line, message }) => {
    const { exitCode, stderr } = await run(line.split(" ").filter(Boolean));

    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("sk_live");
  });
});

describe("The help of a command", () => {
  it("is no failure", async () => {
    const { exitCode, stdout } = await run(["emit", "--help"]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain("--database <ID>");
  });

  it("has the options that docs/local-service.md lists, in the same order", () => {
    const page = readPage("docs/local-service.md");
    const listed = [...page.matchAll(/^\| `(--[\w-]+)/gm)].map(([, name]) => name);

    expect(listed).toEqual(commands.flatMap(({ options }) => options.map(({ long }) => long)));
  });
});

describe("The service that serve starts", () => {
  const startedWith = async (args: readonly string[]) => {
    const start = vi.mocked(startLocalService).mockRejectedValueOnce(new Error("started"));
    await expect(run(["serve", ...args])).rejects.toThrow("started");
    return start.mock.lastCall?.[0];
  };

  it.each([
    { source: "by default", args: [], variable: " ", apiKeys: { "local-api-key": "*" } },
    {
      source: "of the environment",
      args: [],
      variable: " all\nsome=base_1,base_2 ",
      apiKeys: { all: "*", some: ["base_1", "base_2"] },
    },
    {
      source: "of --api-key rather than those of the environment",
      args: ["--api-key", "all", "--api-key", "some=base_1"],
      variable: "other",
      apiKeys: { all: "*", some: ["base_1"] },
    },
  ])("has the keys $source", async ({ args, variable, apiKeys }) => {
    vi.stubEnv("DBWEBHOOKS_SERVE_API_KEYS", variable);

    expect((await startedWith(args))?.apiKeys).toEqual(apiKeys);
  });

  it("has the settings of its options, and remembers no requests", async () => {
    const args = "--host [::] --port 0 --allow-remote --listing --data a.db --rate-limit 0.5";
    const more = "--deliver-to http://h:1 --allow-unknown-events";

    const options = await startedWith(`${args} ${more}`.split(" "));

    expect(options).toMatchObject({ allowRemote: true, listing: true, allowUnknownEvents: true });
    expect(options).toMatchObject({ host: "::", port: 0, data: "a.db", maxRequests: 0 });
    expect(options?.deliveries).toEqual({ deliverTo: "http://h:1" });
    expect(options?.rateLimit).toEqual({ requestsPerSecond: 0.5 });
  });

  it("is strict and only reachable from this machine without options", async () => {
    const strict = { allowRemote: false, listing: false, allowUnknownEvents: false };

    expect(await startedWith([])).toMatchObject({ host: "127.0.0.1", port: 8787, ...strict });
  });

  it("can have another address if Node.js cannot listen on this one", async () => {
    const error = Object.assign(new Error("address in use"), { syscall: "listen" });
    vi.mocked(startLocalService).mockRejectedValueOnce(error);

    await expect(run(["serve"])).rejects.toThrow("in use. Choose another address with --port");
  });

  it("shows the setting that a stack needs for a service of another machine", () => {
    const text = startText({ baseUrl: "http://[::]:8787", apiKeys: 1, webhooks: 0 }, "");

    expect(text).toContain("for everybody who can reach it");
    expect(text).toContain("pulumi config set dbwebhooks:allowInsecureBaseUrl true");
  });
});
