import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { run, start } from "../helpers/commands.ts";
import { repository, withDirectory, writeFiles } from "../helpers/directory.ts";
import { respondWith, times } from "../helpers/faults/faults.mts";
import { issuedSecret } from "../helpers/leaks.ts";
import { startFaultyService } from "../helpers/local-service.ts";
import {
  databaseId,
  inDatabase,
  ofStack,
  printing,
  resourceOf,
  stateWith,
  writePulumi,
} from "../helpers/pulumi-stand-in.ts";
import { methodsOf, recordRequests } from "../helpers/recorder.mts";

const node = process.execPath;
const program = join(repository, "dist/cli/main.js");

interface Call {
  /** A shell script in place of the Pulumi CLI. */
  readonly pulumi?: string;
  /** Files that the command finds in its directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** What bash does with the output. */
  readonly redirection?: string;
}

/** Starts a service with a webhook, and commands of the built package with its settings. */
async function startWithWebhook() {
  const service = await startFaultyService();
  await service.subscribe("https://example.com/hooks/orders");
  const { requests } = recordRequests(service);
  const { baseUrl, apiKey } = service;
  const account = { DBWEBHOOKS_BASE_URL: baseUrl, DBWEBHOOKS_API_KEY: apiKey };
  const runCommand = (args: readonly string[], call: Call = {}) => {
    const { pulumi = "exit 1", files = {}, redirection = "" } = call;
    return withDirectory(async (directory) => {
      await writeFiles(directory, files);
      const PATH = await writePulumi(directory, pulumi);
      const script = `set -o pipefail; "$NODE" "$PROGRAM" "$@" ${redirection}`;
      const environment = { ...account, NODE: node, PROGRAM: program, PATH };
      return run("bash", ["-c", script, "bash", ...args], { directory, environment });
    });
  };
  return { service, requests, baseUrl, account, id: String(service.webhooks[0]?.id), runCommand };
}

describe("pulumi-dbwebhooks list", () => {
  it("shows which resource of a stack and of a file has which webhook", async () => {
    const { id, baseUrl, requests, runCommand } = await startWithWebhook();

    const { exitCode, stdout, stderr } = await runCommand(
      ["list", "--stack", "dev", "--state", "other.json"],
      {
        pulumi: printing(stateWith(resourceOf(baseUrl, id))),
        files: { "other.json": stateWith(resourceOf(baseUrl, "7")) },
      },
    );

    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /^warning: other\.json has the state of 2026-11-29T00:02:03.* later .*\n$/,
    );
    const rows = stdout.split("\n").map((line) => line.split(/ {2,}/));
    expect(rows[1]?.slice(0, 3)).toEqual([databaseId, id, "https://example.com/hooks/orders"]);
    expect(rows[1]?.at(-1)).toBe(`urn:${id}`);
    expect(rows[2]).toEqual([databaseId, "7", "not listed", "urn:7"]);
    expect(stdout).not.toMatch(issuedSecret);
    expect(methodsOf(requests)).toEqual(["GET"]);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)(
    "ends the Pulumi CLI when it gets %s alone",
    async (signal) => {
      const { account } = await startWithWebhook();

      await withDirectory(async (directory) => {
        const pulumi = `
          trap 'kill $!; touch "$0.ended"; exit' TERM
          touch "$0.started"
          sleep 600 > /dev/null & wait`;
        const environment = { ...account, PATH: await writePulumi(directory, pulumi) };
        const exists = (end: string) =>
          vi.waitUntil(() => existsSync(join(directory, `pulumi.${end}`)), { timeout: 30_000 });
        const command = start(node, [program, "list", ...ofStack], { directory, environment });
        await exists("started");

        command.child.kill(signal);

        await command.result;
        expect(command.child.signalCode).toBe(signal);
        await exists("ended");
      });
    },
  );

  it("ends quietly if its reader closes the pipe, and fails if its output cannot be written", async () => {
    const { baseUrl, runCommand } = await startWithWebhook();
    const pulumi = printing(stateWith(resourceOf(baseUrl, "7")));
    const args = ["list", ...ofStack];

    const closed = await runCommand(args, { pulumi, redirection: "| true" });
    expect(closed).toMatchObject({ exitCode: 0, output: "" });
    for (const further of [[], ["--json"], ["--import", "new"]]) {
      const full = await runCommand([...args, ...further], { pulumi, redirection: "> /dev/full" });
      expect(full).toMatchObject({ exitCode: 1, output: expect.stringContaining("ENOSPC") });
    }
  });
});

describe("pulumi-dbwebhooks delete", () => {
  it("deletes a webhook, and fails if there is none", async () => {
    const { service, id, runCommand } = await startWithWebhook();
    const args = ["delete", ...inDatabase, id];

    const results = [await runCommand(args), await runCommand(args)];

    expect(service.webhooks).toEqual([]);
    expect(results).toMatchObject([
      { exitCode: 0, output: `Deleted webhook ${id} of database base_1.\n` },
      { exitCode: 1, output: `Database base_1 has no webhook ${id}.\n` },
    ]);
  });

  it.each([503, 429])("lives on until a retry after %i has deleted the webhook", async (status) => {
    const { service, id, runCommand } = await startWithWebhook();
    service.use(times(1, respondWith(status)));

    const result = await runCommand(["delete", ...inDatabase, id]);

    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Deleted") });
    expect(service.webhooks).toEqual([]);
  });
});
