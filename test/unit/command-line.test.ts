import { afterEach, expect, it, vi } from "vitest";
import { commands, runCommand } from "../../src/cli/commands.ts";
import { startText } from "../../src/cli/serve-log.ts";
import { version } from "../../src/common/version.ts";
import { startLocalService } from "../../src/local-service/index.ts";

vi.mock("../../src/local-service/index.ts", () => ({ startLocalService: vi.fn() }));

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Runs a command in this process; returns its exit code and its output. */
async function runCommandLine(line: string) {
  const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  await runCommand(line.split(" ").filter(Boolean));
  const textOf = ({ mock }: typeof stdout) => mock.calls.join("");
  return { exitCode: process.exitCode, stdout: textOf(stdout), stderr: textOf(stderr) };
}

/**
 * Returns the options for the service. It fails to start, because `serve` would wait for a signal.
 */
async function optionsOfServe(line: string) {
  const start = vi.mocked(startLocalService).mockRejectedValueOnce(new Error("not started"));
  await expect(runCommandLine(`serve ${line}`)).rejects.toThrow("not started");
  return start.mock.lastCall?.[0];
}

const invalidKey = "--api-key (or DBWEBHOOKS_SERVE_API_KEYS): must be KEY or KEY=DATABASE,DATABASE";

it.each([
  { line: "", message: "Usage: pulumi-dbwebhooks COMMAND [options]" },
  { line: "srve", message: 'The command "srve" is unknown (did you mean serve?).' },
  { line: "constructor", message: 'The command "constructor" is unknown' },
  {
    line: "serve --api-kee=sk_live_1",
    message: "Unknown option '--api-kee'.",
  },
  { line: "serve -ksk_live_1", message: "Unknown option '-k'" },
  { line: "serve --listing=sk_live_1", message: "Option '--listing' does not take an argument" },
  { line: "serve --api-key", message: "Option '--api-key <value>' argument missing" },
  { line: "serve --api-key --listing", message: "Option '--api-key' argument is ambiguous" },
  { line: "serve --api-key a sk_live_1", message: "Expected no argument besides the options." },
  { line: "serve --port 65536", message: "--port: must be a whole number from 0 to 65535." },
  { line: "serve --port 8787.5", message: "--port: must be a whole number" },
  { line: "serve --host 0.0.0.0", message: "--host: this address is reachable" },
  { line: "serve --allow-remote", message: "--allow-remote: needs an API key of your own" },
  { line: "serve --deliver-to http://h/path", message: "--deliver-to: must be an origin" },
  { line: "serve --allow-remote --deliver-to h", message: "9000.\n--allow-remote: needs" },
  { line: "serve --api-key sk_live_ä", message: invalidKey },
  { line: "serve --api-key sk_live_1=", message: invalidKey },
  { line: "serve --api-key sk_live_1 --api-key sk_live_1=b", message: invalidKey },
])("An invalid command exits with 2 and shows no key: $line", async ({ line, message }) => {
  const { exitCode, stderr } = await runCommandLine(line);

  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("sk_live");
});

it.each(Object.keys(commands))("%s --help names every option and exits with 0", async (name) => {
  const { exitCode, stdout } = await runCommandLine(`${name} --help`);

  const options = Object.keys(commands[name]?.options ?? {});
  expect(exitCode).toBeUndefined();
  expect(stdout.match(/(?<=^ +--)[\w-]+/gm) ?? []).toEqual(
    options.length > 0 ? [...options, "help"] : [],
  );
});

it("The help of pulumi-dbwebhooks names every command", async () => {
  const { stdout } = await runCommandLine("--help");

  expect(stdout.match(/(?<=^ {2})\w[\w-]+/gm)).toEqual(Object.keys(commands));
});

it("The option --version shows the version", async () => {
  expect((await runCommandLine("--version")).stdout).toBe(`${version}\n`);
});

it.each([
  { line: "", variable: " ", apiKeys: { "local-api-key": "*" } },
  { line: "", variable: " a  b=base_1,base_2 ", apiKeys: { a: "*", b: ["base_1", "base_2"] } },
  { line: "--api-key a --api-key b=base_1", variable: "c", apiKeys: { a: "*", b: ["base_1"] } },
])("serve with '$line' and '$variable' in the environment knows the keys $apiKeys", async (row) => {
  vi.stubEnv("DBWEBHOOKS_SERVE_API_KEYS", row.variable);

  expect((await optionsOfServe(row.line))?.apiKeys).toEqual(row.apiKeys);
});

it.each([
  { line: "", options: { host: "127.0.0.1", port: 8787, allowRemote: false } },
  { line: "", options: { listing: false, allowUnknownEvents: false, maxRequests: 0 } },
  { line: "--host [::] --allow-remote --api-key a", options: { host: "::", allowRemote: true } },
  { line: "--host ::1", options: { host: "::1", allowRemote: false } },
  { line: "--port 0 --listing", options: { port: 0, listing: true } },
  { line: "--deliver-to http://h:1", options: { deliverTo: "http://h:1" } },
  { line: "--allow-unknown-events", options: { allowUnknownEvents: true } },
])("serve $line starts the service with $options", async ({ line, options }) => {
  expect(await optionsOfServe(line)).toMatchObject(options);
});

it("serve advises to choose another address only when Node.js cannot listen on this one", async () => {
  const inUse = Object.assign(new Error("address in use"), { syscall: "listen" });
  const start = vi.mocked(startLocalService).mockRejectedValueOnce(inUse);
  start.mockRejectedValueOnce(new Error("another error"));

  await expect(runCommandLine("serve")).rejects.toThrow("in use. Choose another address");
  await expect(runCommandLine("serve")).rejects.toThrow(/^another error$/);
});

it("Only if other machines can reach the service, serve says so and shows allowInsecureBaseUrl", () => {
  const textFor = (baseUrl: string) => startText({ baseUrl, apiKeys: 1 }, "");

  expect(textFor("http://[::]:8787")).toContain("for everybody who can reach it");
  expect(textFor("http://[::]:8787")).toContain(" set dbwebhooks:allowInsecureBaseUrl true");
  expect(textFor("http://[::1]:8787")).not.toMatch(/everybody|allowInsecureBaseUrl/);
});

it.each([
  { baseUrl: "http://0.0.0.0:8787", shown: "http://MACHINE:8787" },
  { baseUrl: "http://[::]:8787", shown: "http://MACHINE:8787" },
  { baseUrl: "http://192.0.2.1:8787", shown: "http://192.0.2.1:8787" },
])("serve at $baseUrl configures a stack with $shown, and says what to put in", (row) => {
  const text = startText({ baseUrl: row.baseUrl, apiKeys: 1 }, "");

  expect(text).toContain(` set dbwebhooks:baseUrl ${row.shown}\n`);
  expect(text.includes("Replace MACHINE by")).toBe(row.shown.includes("MACHINE"));
});
