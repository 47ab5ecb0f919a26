import { afterEach, expect, it, vi } from "vitest";
import { help, options, runCommandLine } from "../../../src/cli/command-line.ts";
import type { ServeOptions } from "../../../src/cli/serve.ts";
import { version } from "../../../src/common/version.ts";

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Runs the command in this process; returns its exit code, its output and how it serves. */
async function run(line: string) {
  const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const serve = vi.fn(async (_options: ServeOptions) => {});
  await runCommandLine(line.split(" ").filter(Boolean), serve);
  const textOf = ({ mock }: typeof stdout) => mock.calls.join("");
  const [served] = serve.mock.lastCall ?? [];
  return { exitCode: process.exitCode, stdout: textOf(stdout), stderr: textOf(stderr), served };
}

const unexpectedArgument = 'Expected "serve" and its options, and no other argument.';

it.each([
  { line: "", message: "Usage: pulumi-dbwebhooks serve [options]" },
  { line: "srve", message: unexpectedArgument },
  { line: "--port 0", message: unexpectedArgument },
  { line: "sk_live_1 serve", message: unexpectedArgument },
  { line: "serve --api-key a sk_live_1", message: unexpectedArgument },
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
])("An invalid command exits with 2 and shows no key: $line", async ({ line, message }) => {
  const { exitCode, stderr } = await run(line);

  expect(exitCode).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("sk_live");
});

it.each(["--help", "serve --help", "serve --port x --deliver-to x --help"])(
  "%s names every option and exits with 0",
  async (line) => {
    const { exitCode, stdout } = await run(line);

    expect(exitCode).toBeUndefined();
    expect(stdout).toBe(help);
    expect(stdout.match(/(?<=^ +--)[\w-]+/gm)).toEqual(Object.keys(options));
  },
);

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
  expect((await run(`serve ${line}`)).served).toMatchObject(options);
});
