import { readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pluginWebhookType } from "../../src/common/type-tokens.ts";
import { run } from "../helpers/commands.ts";
import { repository, withDirectory } from "../helpers/directory.ts";
import { notFound, respondWith, times } from "../helpers/faults/faults.mts";
import { refusedUrl } from "../helpers/http-server.ts";
import { issuedSecret } from "../helpers/leaks.ts";
import { startFaultyService } from "../helpers/local-service.ts";
import { recordRequests } from "../helpers/recorder.mts";

const databaseId = "base_1";

interface Call {
  readonly apiKey?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** The text of standard input. */
  readonly input?: string;
  /** What bash does with the output. */
  readonly redirection?: string;
}

/** Starts a service with a webhook, and commands of the built package with its settings. */
async function startWithWebhook(options?: Parameters<typeof startFaultyService>[0]) {
  const service = await startFaultyService(options);
  await service.subscribe("https://example.com/hooks/orders");
  const { requests } = recordRequests(service);
  const runCommand = (args: readonly string[], call: Call = {}) => {
    const { apiKey = service.apiKey, variables, input = "", redirection = "" } = call;
    const script = `set -o pipefail; printf %s "$INPUT" | "$NODE" "$PROGRAM" "$@" ${redirection}`;
    const environment = {
      DBWEBHOOKS_BASE_URL: service.baseUrl,
      DBWEBHOOKS_API_KEY: apiKey,
      INPUT: input,
      NODE: process.execPath,
      PROGRAM: join(repository, "dist/cli/main.js"),
      ...variables,
    };
    return run("bash", ["-c", script, "bash", ...args], { directory: tmpdir(), environment });
  };
  return { service, requests, id: String(service.webhooks[0]?.id), runCommand };
}

function stateOf(baseUrl: string, id: string, changes: object = {}): string {
  const outputs = { databaseId, baseUrl };
  const resources = [{ urn: `urn:${id}`, type: pluginWebhookType, id, outputs, ...changes }];
  return JSON.stringify({ version: 3, deployment: { resources } });
}

describe("pulumi-dbwebhooks list", () => {
  it("shows which resource of standard input and of a file has which webhook", async () => {
    const { service, id, runCommand } = await startWithWebhook();

    await withDirectory(async (directory) => {
      const file = join(directory, "state.json");
      await writeFile(file, stateOf(service.baseUrl, "7"));
      const args = ["list", "--state", "-", "--state", file];
      const { exitCode, stdout, stderr } = await runCommand(args, {
        input: stateOf(service.baseUrl, id),
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      const rows = stdout.split("\n").map((line) => line.split(/ {2,}/));
      expect(rows[1]?.slice(0, 3)).toEqual([databaseId, id, "https://example.com/hooks/orders"]);
      expect(rows[1]?.at(-1)).toBe(`urn:${id}`);
      expect(rows[2]).toEqual([databaseId, "7", "not listed", "urn:7"]);
      expect(stdout).not.toMatch(issuedSecret);
    });
  });

  it.each([
    ["that a failed export has left empty", "", /standard input: it is not the output of/],
    [
      "that does not identify a webhook",
      stateOf("", "7"),
      /which webhook urn:7 has; .*its baseUrl is missing/,
    ],
  ])(
    "sends nothing and fails with a state %s, and names each other problem",
    async (_, input, text) => {
      const { requests, runCommand } = await startWithWebhook();

      const args = ["list", "--state", "-", "--state", "no-such-file"];
      const result = await runCommand(args, { input });

      expect(result).toMatchObject({ exitCode: 1, stdout: "" });
      expect(result.stderr).toMatch(text);
      expect(result.stderr).toContain("in no-such-file: no such file or directory.");
      expect(requests).toEqual([]);
    },
  );

  it("fails if a list cannot be read, shows the other ones, and writes no files of an import", async () => {
    const { service, id, runCommand } = await startWithWebhook();
    service.use((request, next) => (request.databaseId === "base_2" ? notFound() : next()));
    const args = ["list", "--database", databaseId, "--database", "base_2"];

    await withDirectory(async (directory) => {
      const shown = await runCommand(args);
      const written = await runCommand([...args, "--state", "-", "--import", directory], {
        input: stateOf(service.baseUrl, "7"),
      });

      expect(shown).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(id) });
      expect(written).toMatchObject({ exitCode: 1, stdout: "" });
      expect(await readdir(directory)).toEqual([]);
      expect(written.stderr).toMatch(/bases\/base_2\/webhooks returned 404 NOT_FOUND/);
    });
  });

  it("does not take a state that names no database for a service without webhooks", async () => {
    const { requests, runCommand } = await startWithWebhook();
    const input = stateOf("https://a.test", "7");

    for (const further of [[], ["--json"], ["--import", "unused"]]) {
      const result = await runCommand(["list", "--state", "-", ...further], { input });

      expect(result).toMatchObject({ exitCode: 1, stdout: "" });
      expect(result.stderr).toMatch(/name no database .*--database/);
    }
    expect(requests).toEqual([]);
  });

  it("fails without a key, and shows no wrong one", async () => {
    const { requests, runCommand } = await startWithWebhook();
    const args = ["list", "--database", databaseId];

    const [missing, wrong] = [
      await runCommand(args, { apiKey: "" }),
      await runCommand(args, { apiKey: "sk_live_12345678" }),
    ];

    expect(missing).toMatchObject({ exitCode: 1, stdout: "" });
    expect(missing.stderr).toMatch(/apiKey: is not set.*Set DBWEBHOOKS_API_KEY .*\n$/);
    expect(wrong).toMatchObject({ exitCode: 1, stdout: "" });
    expect(wrong.stderr).toMatch(/ returned 401 .*DBWEBHOOKS_API_KEY/);
    expect(wrong.stderr).not.toContain("sk_live");
    expect(requests).toHaveLength(1);
  });

  it("ends quietly if its reader closes the pipe, and fails if its output cannot be written", async () => {
    const { runCommand } = await startWithWebhook();
    const args = ["list", "--database", databaseId];

    const closed = await runCommand(args, { redirection: "| true" });
    expect(closed).toMatchObject({ exitCode: 0, output: "" });
    for (const further of [[], ["--json"]]) {
      const full = await runCommand([...args, ...further], { redirection: "> /dev/full" });
      expect(full).toMatchObject({ exitCode: 1, output: expect.stringContaining("ENOSPC") });
    }
  });

  it("fails if one import has no room for all webhooks, and describes the others", async () => {
    const { service, runCommand } = await startWithWebhook();
    const [webhook] = service.webhooks;
    service.webhooks = [...service.webhooks, { ...webhook, databaseId: "base_2" } as never];

    await withDirectory(async (directory) => {
      const databases = [databaseId, "base_2"].flatMap((one) => ["--database", one]);
      const args = ["list", ...databases, "--state", "-", "--import", directory];
      const result = await runCommand(args, { input: stateOf(service.baseUrl, "7") });

      expect(result).toMatchObject({ exitCode: 1, stderr: "" });
      expect(result.stdout).toMatch(/Left out 1 more.*Described 1 webhook in/s);
    });
  });
});

describe("pulumi-dbwebhooks delete", () => {
  it("deletes a webhook, and says in one line that it did, or that it was gone", async () => {
    const { service, id, runCommand } = await startWithWebhook();
    const args = ["delete", "--database", databaseId, id];

    const results = [await runCommand(args), await runCommand(args)];

    expect(service.webhooks).toEqual([]);
    expect(results).toMatchObject([
      { exitCode: 0, output: `Deleted webhook ${id} of database base_1.\n` },
      { exitCode: 0, output: expect.stringMatching(/^The service returned 404 .* gone\.\n$/) },
    ]);
  });

  it("names a creation in flight, whose webhook it may be about to delete", async () => {
    const { id, runCommand } = await startWithWebhook();
    const resource = { urn: "urn:new", type: pluginWebhookType, inputs: { databaseId } };
    const pending_operations = [{ type: "creating", resource }];
    const input = JSON.stringify({ version: 3, deployment: { pending_operations } });

    const args = ["delete", "--database", databaseId, "--state", "-", id];
    const result = await runCommand(args, { input });

    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Deleted") });
    expect(result.stderr).toMatch(/^warning: .*urn:new in database base_1 was in flight/);
  });

  it("fails if the service cannot be reached", async () => {
    const { id, runCommand } = await startWithWebhook();
    const variables = { DBWEBHOOKS_BASE_URL: refusedUrl, DBWEBHOOKS_RETRY_SECONDS: "1" };

    const result = await runCommand(["delete", "--database", databaseId, id], { variables });

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(
      /could not connect \(ECONNREFUSED.* attempts .*\[notDeleted\]\n$/,
    );
  });

  it("lives on until a retry has deleted the webhook", async () => {
    const { service, id, runCommand } = await startWithWebhook();
    service.use(times(1, respondWith(503)));

    const result = await runCommand(["delete", "--database", databaseId, id]);

    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Deleted") });
    expect(service.webhooks).toEqual([]);
  });

  it.each([
    ["a resource", {}, /urn:\d+\. Remove the resource .* "pulumi up"/],
    [
      "a pending deletion",
      { delete: true },
      /pending at urn:\d+, and "pulumi up" completes it\.$/m,
    ],
    [
      "a resource at another base URL",
      { outputs: { databaseId, baseUrl: "https://a.test" } },
      /urn:\d+, at https:\/\/a\.test, which .* service\.$/m,
    ],
  ])("sends nothing for a webhook that %s of a state has", async (_, changes, text) => {
    const { service, id, requests, runCommand } = await startWithWebhook();
    const input = stateOf(service.baseUrl, id, changes);

    const result = await runCommand(["delete", "--database", databaseId, "--state", "-", id], {
      input,
    });
    const other = await runCommand(["delete", "--database", databaseId, "--state", "-", "7"], {
      input,
    });

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(text);
    expect(other).toMatchObject({ exitCode: 0 });
    expect(requests.map(({ method, path }) => `${method} ${path.split("/").at(-1)}`)).toEqual([
      "DELETE 7",
      "GET webhooks",
    ]);
  });

  it("fails after a 404 if no list shows whether the webhook is gone", async () => {
    const { runCommand } = await startWithWebhook({ listing: false });

    const args = ["delete", "--database", databaseId, "7"];
    // For Pulumi, the variable is the way out.
    const result = await runCommand(args, { variables: { DBWEBHOOKS_LISTING: "x" } });

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(/^warning: The service returned 404 for webhook 7 /);
  });

  it("fails with the message of the provider", async () => {
    const { service, id, runCommand } = await startWithWebhook();
    service.use(respondWith(202));

    const result = await runCommand(["delete", "--database", databaseId, id]);

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(/^Delete webhook .* 202 .*may still exist\..* \[notDeleted\]\n$/);
  });
});
