import { afterEach, expect, it, vi } from "vitest";
import { runCommandLine } from "../../../src/cli/command-line.ts";
import { commandOptions, help } from "../../../src/cli/command-options.ts";
import { version } from "../../../src/common/version.ts";

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/**
 * Runs a command line in this process; returns its exit code, its output, and the options of the
 * command that it performs, by name.
 */
async function run(line: string) {
  const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const performed: Record<string, unknown> = {};
  const performing = (name: string) => async (options: object) => {
    performed[name] = options;
  };
  await runCommandLine(line.split(" ").filter(Boolean), {
    serve: performing("serve"),
    list: performing("list"),
    delete: performing("delete"),
  });
  const textOf = ({ mock }: typeof stdout) => mock.calls.join("");
  return { exitCode: process.exitCode, stdout: textOf(stdout), stderr: textOf(stderr), performed };
}

const unexpectedArgument = "Expected serve, list, or delete, its options, and no other argument.";

it.each([
  { line: "", message: "Usage: pulumi-dbwebhooks serve [options]\n" },
  { line: "srve", message: unexpectedArgument },
  { line: "toString", message: unexpectedArgument },
  { line: "--port 0", message: "Unknown option '--port'" },
  { line: "sk_live_1 serve", message: unexpectedArgument },
  { line: "serve --api-key a sk_live_1", message: "serve takes options" },
  { line: "serve --api-kee=sk_live_1", message: "Unknown option '--api-kee'." },
  { line: "serve -ksk_live_1", message: "Unknown option '-k'" },
  {
    line: "serve --no-listing=sk_live_1",
    message: "Option '--no-listing' does not take an argument",
  },
  { line: "serve --api-key", message: "Option '--api-key <value>' argument missing" },
  { line: "serve --api-key --no-listing", message: "Option '--api-key' argument is ambiguous" },
  { line: "serve --port x", message: "--port must" },
  { line: "serve --port -1", message: "'--port' argument is ambiguous" },
  { line: "serve --port 65536", message: "--port must" },
  { line: "serve --port=", message: "--port must" },
  { line: "serve --deliver-to 127.0.0.1:3000", message: "--deliver-to must" },
  { line: "serve --deliver-to localhost:3000", message: "--deliver-to must" },
  { line: "serve --deliver-to http://h:1/sk_live_1", message: "--deliver-to must" },
  { line: "serve --deliver-to http://h:1/?sk_live_1", message: "--deliver-to must" },
  { line: "serve --deliver-to http://h:1/#sk_live_1", message: "--deliver-to must" },
  { line: "serve --state sk_live_1", message: "Unknown option '--state'" },
  { line: "list", message: "list needs --database, --stack or --state" },
  { line: "list --database b sk_live_1", message: "list takes options" },
  { line: "list --api-key sk_live_1", message: "Unknown option '--api-key'" },
  { line: "list --database .. --database b", message: "--database must" },
  { line: "list --database=", message: "--database must" },
  { line: "list --state=", message: "--state must" },
  { line: "list --stack=", message: "--stack must" },
  { line: "list --stack dev\u0007", message: "--stack must" },
  { line: "list --state s --json --import d", message: "either --json or --import" },
  { line: "list --state s --import=", message: "--import must" },
  { line: "list --state s --import a --import b", message: "--import must" },
  { line: "list --database b --import d", message: "--import needs --stack or --state" },
  { line: "delete 43", message: "--database must" },
  { line: "delete --database a --database b 43", message: "one --database" },
  { line: "delete --database b", message: "delete needs the id" },
  { line: "delete --database b sk_live_1", message: "delete needs the id" },
  { line: "delete --database b 043", message: "delete needs the id" },
  { line: "delete --database b 43 44", message: "delete needs the id" },
  { line: "delete --database b --stack= 43", message: "--stack must" },
  { line: "delete --database b --state= 43", message: "--state must" },
])("An invalid command exits with 2 and shows no key: $line", async ({ line, message }) => {
  const { exitCode, stderr } = await run(line);

  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("sk_live");
});

it("An invalid command names all its problems", async () => {
  const { stderr } = await run("list --database .. --import d --json x");

  expect(stderr).toMatch(/list takes.*\n--database must.*\nUse either.*\n--import needs/);
});

it.each([
  "--help",
  "serve --help",
  "serve --port x --deliver-to x --help",
  "list --help",
  "delete x --help",
])("%s names every command and every option, and exits with 0", async (line) => {
  const { exitCode, stdout } = await run(line);

  expect(exitCode).toBeUndefined();
  expect(stdout).toBe(help);
  const commands = stdout.match(/(?<= pulumi-dbwebhooks )\w+/g);
  expect(new Set(commands)).toEqual(new Set(Object.keys(commandOptions)));
  const named = Object.values(commandOptions).flatMap((options) => Object.keys(options));
  expect(new Set(stdout.match(/(?<=^ +--)[\w-]+/gm))).toEqual(new Set(named));
});

it("The option --version shows the version", async () => {
  expect((await run("--version")).stdout).toBe(`${version}\n`);
});

it.each([
  { line: "", options: { port: 8787, apiKeys: ["local-api-key"] } },
  { line: "", options: { listing: true, allowUnknownEvents: false } },
  { line: "--api-key a --api-key b", options: { apiKeys: ["a", "b"] } },
  { line: "--port 0 --no-listing", options: { port: 0, listing: false } },
  { line: "--port 65535", options: { port: 65_535 } },
  { line: "--deliver-to http://h:1", options: { deliverTo: "http://h:1" } },
  { line: "--deliver-to http://a:b@h:1/", options: { deliverTo: "http://a:b@h:1/" } },
  { line: "--allow-unknown-events", options: { allowUnknownEvents: true } },
])("serve $line starts the service with $options", async ({ line, options }) => {
  expect((await run(`serve ${line}`)).performed).toMatchObject({ serve: options });
});

const noStates = { stacks: [], stateFiles: [] };
const none = { databaseIds: [], ...noStates, isJson: false, importDirectory: undefined };

it.each([
  {
    line: "list --database a --database b --json",
    performed: { list: { ...none, databaseIds: ["a", "b"], isJson: true } },
  },
  {
    line: "list --stack a --stack o/p/b --state s.json --state t.json --import d",
    performed: {
      list: {
        ...none,
        stacks: ["a", "o/p/b"],
        stateFiles: ["s.json", "t.json"],
        importDirectory: "d",
      },
    },
  },
  {
    line: "delete --database a 0",
    performed: { delete: { databaseId: "a", ...noStates, id: "0" } },
  },
  {
    line: "delete 43 --stack dev --state s --state t --database a",
    performed: {
      delete: { databaseId: "a", stacks: ["dev"], stateFiles: ["s", "t"], id: "43" },
    },
  },
])("$line performs the command with its options", async ({ line, performed }) => {
  expect((await run(line)).performed).toEqual(performed);
});
