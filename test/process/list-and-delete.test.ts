import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { dynamicWebhookType, pluginWebhookType } from "../../src/common/type-tokens.ts";
import { run, start } from "../helpers/commands.ts";
import { repository, withDirectory } from "../helpers/directory.ts";
import { notFound, respondWith, times } from "../helpers/faults/faults.mts";
import { refusedUrl } from "../helpers/http-server.ts";
import { issuedSecret } from "../helpers/leaks.ts";
import { startFaultyService } from "../helpers/local-service.ts";
import { methodsOf, recordRequests } from "../helpers/recorder.mts";

const databaseId = "base_1";
const inDatabase = ["--database", databaseId];
const ofStack = [...inDatabase, "--stack", "dev"];
const node = process.execPath;
const program = join(repository, "dist/cli/main.js");

interface Call {
  readonly apiKey?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** A shell script in place of the Pulumi CLI. Without one, there is none on PATH. */
  readonly pulumi?: string;
  /** Files that the command finds in its directory. */
  readonly files?: Readonly<Record<string, string>>;
  /** What bash does with the output. */
  readonly redirection?: string;
}

/** Writes a stand-in for the Pulumi CLI into a directory, and returns the PATH with it. */
async function writePulumi(directory: string, script: string): Promise<string> {
  await writeFile(join(directory, "pulumi"), `#!/bin/sh\n${script}\n`);
  await chmod(join(directory, "pulumi"), 0o700);
  return `${directory}:/usr/bin:/bin`;
}

/** Starts a service with a webhook, and commands of the built package with its settings. */
async function startWithWebhook(options?: Parameters<typeof startFaultyService>[0]) {
  const service = await startFaultyService(options);
  await service.subscribe("https://example.com/hooks/orders");
  const { requests } = recordRequests(service);
  const environmentWith = ({ apiKey = service.apiKey, variables }: Call) => {
    return { DBWEBHOOKS_BASE_URL: service.baseUrl, DBWEBHOOKS_API_KEY: apiKey, ...variables };
  };
  /** Runs a command, and returns its result with the new entries of its directory. */
  const runCommand = async (args: readonly string[], call: Call = {}) => {
    const { pulumi, files = {}, redirection = "" } = call;
    let result: Awaited<ReturnType<typeof run>> | undefined;
    let written: Readonly<Record<string, string>> = {};
    await withDirectory(async (directory) => {
      const path = pulumi === undefined ? "/usr/bin:/bin" : await writePulumi(directory, pulumi);
      for (const [name, text] of Object.entries(files)) {
        await writeFile(join(directory, name), text);
      }
      const script = `set -o pipefail; "$NODE" "$PROGRAM" "$@" ${redirection}`;
      const environment = { ...environmentWith(call), NODE: node, PROGRAM: program, PATH: path };
      result = await run("bash", ["-c", script, "bash", ...args], { directory, environment });
      const directories = (await readdir(directory, { withFileTypes: true })).filter((entry) =>
        entry.isDirectory(),
      );
      for (const { name } of directories) {
        for (const file of await readdir(join(directory, name))) {
          const text = await readFile(join(directory, name, file), "utf8");
          written = { ...written, [`${name}/${file}`]: text };
        }
      }
    });
    return { ...(result as NonNullable<typeof result>), written };
  };
  return {
    service,
    requests,
    id: String(service.webhooks[0]?.id),
    baseUrl: service.baseUrl,
    environmentWith,
    runCommand,
  };
}

function resourceOf(baseUrl: string, id: string, changes: object = {}) {
  const outputs = { databaseId, baseUrl };
  return { urn: `urn:${id}`, type: pluginWebhookType, id, outputs, ...changes };
}

function stateWith(...resources: readonly object[]): string {
  const manifest = { time: "2026-11-29T01:02:03.5+01:00" };
  return JSON.stringify({ version: 3, deployment: { manifest, resources } });
}

/** A state with creations in flight, by URN. */
function pendingIn(databases: Readonly<Record<string, unknown>>, type = "creating"): string {
  const pending_operations = Object.entries(databases).map(([urn, database]) => {
    const resource = { urn, type: dynamicWebhookType, inputs: { databaseId: database } };
    return { type, resource };
  });
  return JSON.stringify({ version: 3, deployment: { pending_operations } });
}

/** A CLI that prints a state. */
function printing(state: string): string {
  return `cat <<'END'\n${state}\nEND`;
}

/** A CLI that prints one state the first time, and another one later. */
function printingOnce(first: string, later: string): string {
  return `if mkdir "$0.once" 2> /dev/null\nthen ${printing(first)}\nelse ${printing(later)}\nfi`;
}

/** A CLI that knows several stacks, each with a script of its own. */
function ofStacks(scripts: Readonly<Record<string, string>>): string {
  const cases = Object.entries(scripts).map(([name, text]) => `--stack=${name}) ${text}\n;;`);
  return `case "$3" in ${cases.join("\n")}\nesac`;
}

const entry = { id: 17, url: "https://a.test/", events: ["record.created"], active: true };
const secretDatabase = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

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

  it("passes the name of a stack on as it is, and asks for no input or colours", async () => {
    const { id, baseUrl, runCommand } = await startWithWebhook();
    const stack = "acme/orders/dev; exit 1";
    const pulumi = `
      for argument; do printf '%s\\n' "$argument" >&2; done > /dev/null
      read -r answer && exit 3
      [ "$*" = 'stack export --stack=${stack} --non-interactive --color=never' ] || exit 4
      ${printing(stateWith(resourceOf(baseUrl, id)))}`;

    const result = await runCommand(["list", "--stack", stack], { pulumi });

    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(result.stdout).toContain(` urn:${id}\n`);
  });

  it("exports the current state, whatever PULUMI_OPTION_VERSION and the like say", async () => {
    const { id, baseUrl, runCommand } = await startWithWebhook();
    const pulumi = `printenv | grep PULUMI_OPTION >&2
      ${printing(stateWith(resourceOf(baseUrl, id)))}`;
    const names = ["VERSION", "FILE", "SHOW_SECRETS"].map((name) => `PULUMI_OPTION_${name}`);
    const variables = Object.fromEntries(names.map((name) => [name, "1"]));

    // The command shows what Pulumi writes to stderr if it fails.
    const failed = await runCommand(["list", "--stack", "dev"], {
      pulumi: `${pulumi}; exit 6`,
      variables: { ...variables, PULUMI_OPTION_CWD: "kept" },
    });
    const result = await runCommand(["list", "--stack", "dev"], { pulumi, variables });

    expect(failed.stderr).toBe("Cannot export stack dev: PULUMI_OPTION_CWD=kept\n");

    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it("exports a stack, and lists a database, once that is named twice", async () => {
    const { id, baseUrl, requests, runCommand } = await startWithWebhook();
    const pulumi = `echo >> "$0.calls"; [ $(wc -l < "$0.calls") -le 2 ] || exit 7
      ${printing(stateWith(resourceOf(baseUrl, id)))}`;

    const twice = [...ofStack, ...ofStack];
    const { exitCode, stdout } = await runCommand(["list", ...twice], { pulumi });

    expect(exitCode).toBe(0);
    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(methodsOf(requests)).toEqual(["GET"]);
  });

  it("shows no webhook as one that nobody has which a stack got after the list was requested", async () => {
    const { id, baseUrl, runCommand } = await startWithWebhook();
    const later = stateWith(resourceOf(baseUrl, id), resourceOf(baseUrl, "8"));
    const pulumi = printingOnce(stateWith(resourceOf(baseUrl, "9")), later);

    const { stdout } = await runCommand(["list", "--stack", "dev"], { pulumi });

    expect(stdout).toMatch(new RegExp(`^base_1 +${id} .* urn:${id}$`, "m"));
    // The list is older than this resource.
    expect(stdout).toMatch(/^base_1 +8 +unknown .* urn:8$/m);
    expect(stdout).not.toContain("urn:9");
  });

  it("does not say that nobody has a webhook which moves from one stack to another", async () => {
    const { id, baseUrl, requests, runCommand } = await startWithWebhook();
    const empty = stateWith();
    // Pulumi stores the destination first, so the other stack was read before that.
    const dev = printingOnce(stateWith(resourceOf(baseUrl, id)), empty);
    const call = { pulumi: ofStacks({ dev, other: printing(empty) }) };
    const both = [...ofStack, "--stack", "other"];

    const shown = await runCommand(["list", ...both], call);
    const inJson = await runCommand(["list", ...both, "--json"], call);
    const written = await runCommand(["list", ...both, "--import", "new"], call);

    expect(shown.stdout).toMatch(/ \?$/m);
    expect(shown.stderr).toMatch(new RegExp(`webhook ${id} .* urn:${id} .*stack dev.*again`));
    const [{ webhooks }] = JSON.parse(inJson.stdout).databases;
    expect(webhooks).toMatchObject([{ id, resources: [], isUnmanaged: false }]);
    expect(written).toMatchObject({ exitCode: 1, written: {} });
    requests.length = 0;
    const deleted = await runCommand(["delete", ...both, id], call);
    expect(deleted).toMatchObject({ exitCode: 1, stdout: "" });
    expect(requests).toEqual([]);
  });

  it("restricts itself to the databases that --database names", async () => {
    const { service, id, baseUrl, requests, runCommand } = await startWithWebhook();
    service.use((request, next) => (request.databaseId === "base_2" ? notFound() : next()));
    const outputs = { databaseId: "base_2", baseUrl };
    const pulumi = printing(stateWith(resourceOf(baseUrl, id, { outputs })));

    const shown = await runCommand(["list", ...ofStack], { pulumi });
    const written = await runCommand(["list", ...ofStack, "--import", "new"], { pulumi });

    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toMatch(new RegExp(`^base_1 +${id} .* -$`, "m"));
    // It could be the wrong stack.
    expect(shown.stderr).toMatch(/^warning: .* stack dev has no Webhook of database base_1\.\n$/);
    expect(written.exitCode).toBe(0);
    expect(Object.keys(JSON.parse(written.written["new/webhooks.json"] ?? ""))).toEqual([id]);
    expect(requests.map((request) => request.databaseId)).toEqual([databaseId, databaseId]);
  });

  it("says nothing of stacks that use other databases, unless --database or all of them lack one", async () => {
    const { id, baseUrl, runCommand } = await startWithWebhook();
    const outputs = { databaseId: "base_2", baseUrl };
    const dev = printing(stateWith(resourceOf(baseUrl, id)));
    const other = printing(stateWith(resourceOf(baseUrl, "7", { outputs })));
    const gone = printingOnce(stateWith(resourceOf(baseUrl, id)), stateWith());

    const separate = await runCommand(["list", "--stack", "dev", "--stack", "other"], {
      pulumi: ofStacks({ dev, other }),
    });
    const neither = await runCommand(["list", "--stack", "dev"], { pulumi: gone });

    expect(separate).toMatchObject({ exitCode: 0, stderr: "" });
    expect(neither.stderr).toContain("stack dev has no Webhook of database base_1.");
  });

  it("fails, and says so, if a stack gets a database while the lists are requested", async () => {
    const { id, baseUrl, runCommand } = await startWithWebhook();
    const [one] = [resourceOf(baseUrl, id)];
    const outputs = { databaseId: "base_2", baseUrl };
    const later = [
      stateWith(one, resourceOf(baseUrl, "7", { outputs })),
      pendingIn({ "urn:new": "base_2" }),
    ];

    for (const state of later) {
      const pulumi = printingOnce(stateWith(one), state);
      for (const further of [[], ["--json"], ["--import", "new"]]) {
        const result = await runCommand(["list", "--stack", "dev", ...further], { pulumi });

        expect(result.exitCode).toBe(1);
        expect(result.stderr).toMatch(/^While .* database base_2: run the command again\.$/m);
      }
    }
  });

  it("requests no database of a creation in flight whose other webhooks are at another base URL", async () => {
    const { id, baseUrl, requests, runCommand } = await startWithWebhook();
    const outputs = { databaseId: "base_eu", baseUrl: "https://eu.test" };
    const resources = [resourceOf(baseUrl, id), resourceOf(baseUrl, "7", { outputs })];
    const { deployment } = JSON.parse(pendingIn({ "urn:new": "base_eu" }));
    const state = JSON.stringify({ version: 3, deployment: { ...deployment, resources } });

    const { exitCode } = await runCommand(["list", "--stack", "dev"], { pulumi: printing(state) });

    expect(exitCode).toBe(0);
    expect(requests.map((request) => request.databaseId)).toEqual([databaseId]);
  });

  it("takes a stack with a creation in flight in the database for no wrong one", async () => {
    const { runCommand } = await startWithWebhook();
    const pulumi = printing(pendingIn({ "urn:new": databaseId }));

    const { stderr } = await runCommand(["list", ...ofStack], { pulumi });

    expect(stderr).not.toContain("has no Webhook");
  });

  it("says which webhooks are at another base URL, and takes none for missing", async () => {
    const { id, baseUrl, runCommand } = await startWithWebhook();
    const elsewhere = { databaseId, baseUrl: "https://old.test" };
    const resources = [id, "50"].map((one) => resourceOf(baseUrl, one, { outputs: elsewhere }));
    // Only the second reading has them, and both names are those of one stack.
    const call = { pulumi: printingOnce(stateWith(), stateWith(...resources)) };
    const args = ["list", ...ofStack, "--stack", "o/p/dev"];

    const shown = await runCommand(args, call);
    const inJson = await runCommand([...args, "--json"], call);

    expect(shown.stderr).toMatch(/^warning: .* 2 webhooks .*https:\/\/old\.test/m);
    expect(shown.stdout).toMatch(new RegExp(` urn:${id} \\(at https://old\\.test\\)$`, "m"));
    expect(shown.stdout).not.toContain("urn:50");
    const { resourcesElsewhere } = JSON.parse(inJson.stdout);
    expect(resourcesElsewhere).toHaveLength(2);
    expect(resourcesElsewhere).toMatchObject([
      { state: "stack dev", databaseId, id, urn: `urn:${id}`, baseUrl: "https://old.test" },
      { id: "50", urn: "urn:50" },
    ]);
  });

  it("does not take a new webhook for missing because another stack had its id elsewhere", async () => {
    const { baseUrl, runCommand } = await startWithWebhook();
    const elsewhere = { databaseId, baseUrl: "https://old.test" };
    const former = resourceOf(baseUrl, "50", { outputs: elsewhere, urn: "urn:other" });
    const pulumi = printingOnce(stateWith(former), stateWith(former, resourceOf(baseUrl, "50")));

    const { stdout } = await runCommand(["list", ...ofStack], { pulumi });

    expect(stdout).toMatch(/^base_1 +50 +unknown .* urn:50$/m);
  });

  it("shows a resource once whose stack is given twice, and two resources as two", async () => {
    const { id, baseUrl, runCommand } = await startWithWebhook();
    const dev = resourceOf(baseUrl, id);
    const copy = resourceOf(baseUrl, id, { urn: "urn:copy" });
    const pulumi = ofStacks({
      dev: printing(stateWith(dev)),
      "o/p/dev": printing(stateWith(dev)),
      other: printing(stateWith(copy)),
    });
    const stale = stateWith(resourceOf(baseUrl, id, { delete: true }));

    const stacks = ["dev", "o/p/dev", "other"].flatMap((name) => ["--stack", name]);
    const { stdout } = await runCommand(["list", ...stacks, "--state", "dev.json"], {
      pulumi,
      files: { "dev.json": stale },
    });

    expect(stdout).toMatch(new RegExp(` urn:${id}, urn:copy$`, "m"));
  });

  it.each([
    ["a creation", "creating", databaseId],
    ["an import", "importing", databaseId],
    ["a creation in an unknown database", "creating", { ...secretDatabase, ciphertext: "v1:abc" }],
  ])(
    "does not say that nobody has a webhook while %s is in flight, before or after the list",
    async (_, type, database) => {
      const { runCommand } = await startWithWebhook();
      const pending = pendingIn({ "urn:new": database, "urn:other": "base_2" }, type);

      for (const pulumi of [printing(pending), printingOnce(pending, stateWith())]) {
        const shown = await runCommand(["list", ...ofStack], { pulumi });
        const inJson = await runCommand(["list", ...ofStack, "--json"], { pulumi });
        const written = await runCommand(["list", ...ofStack, "--import", "new"], { pulumi });

        expect(shown).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ \?$/m) });
        expect(shown.stderr).toMatch(/stack dev.* urn:new.* "pulumi refresh --clear-pending-cre/);
        expect(shown.stderr).not.toContain("urn:other");
        const { databases, pendingCreations } = JSON.parse(inJson.stdout);
        expect(databases[0].webhooks).toMatchObject([{ resources: [], isUnmanaged: false }]);
        expect(pendingCreations).toMatchObject([{ state: "stack dev", urn: "urn:new" }]);
        expect(written).toMatchObject({ exitCode: 1, written: {} });
        expect(written.stdout).toMatch(/^Left out webhook .*no file was written/s);
      }
    },
  );

  it("knows that nobody has a webhook while a creation is in flight in another database", async () => {
    const { runCommand } = await startWithWebhook();

    const { stdout, stderr } = await runCommand(["list", ...ofStack], {
      pulumi: printing(pendingIn({ "urn:other": "base_2" })),
    });

    expect(stdout).toMatch(/ -$/m);
    expect(stderr).not.toContain("urn:other");
  });

  it("names a saved state with a creation in flight, which no command on the stack can clear", async () => {
    const { id, runCommand } = await startWithWebhook();
    const files = { "old.json": pendingIn({ "urn:new": databaseId }) };

    for (const args of [["list"], ["delete", id]]) {
      const { stderr } = await runCommand([...args, ...inDatabase, "--state", "old.json"], {
        files,
      });

      expect(stderr).toMatch(/old\.json, .*urn:new.* save its state again/);
    }
  });

  it("lists the database of a creation in flight", async () => {
    const { id, runCommand } = await startWithWebhook();
    const pulumi = printing(pendingIn({ "urn:new": databaseId }));

    expect((await runCommand(["list", "--stack", "dev"], { pulumi })).stdout).toContain(` ${id} `);
  });

  it.each([
    ["prints nothing", "", "of stack dev: it is not the output of"],
    ["prints something else before it", "echo [debug]; echo {}", "it is not the output of"],
    ["fails", "echo error: no stack named dev found >&2; exit 6", "dev: error: no stack named dev"],
    ["fails with a key", "echo error: $DBWEBHOOKS_API_KEY >&2; exit 6", "stack dev: [withheld"],
    ["fails with a password", "echo unable to open postgres://a:b@c >&2; exit 6", "open postgres"],
    ["fails without a word", "exit 6", "stack dev: pulumi ended with 6"],
    ["is killed", "kill -9 $$", "stack dev: pulumi ended with SIGKILL"],
    ["waits for input", "read -r answer; exit 3", "stack dev: pulumi ended with 3"],
    ["is not on PATH", undefined, "stack dev: there is no pulumi on PATH"],
    ["has a webhook without a base URL", printing(stateWith(resourceOf("", "7"))), "which webhook"],
  ])("sends nothing and fails if the Pulumi CLI %s", async (_, pulumi, text) => {
    const { requests, runCommand } = await startWithWebhook();

    const result = await runCommand(["list", ...ofStack], pulumi === undefined ? {} : { pulumi });

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain(text);
    expect(result.stderr).not.toContain("a:b@");
    expect(result.stderr.trimEnd()).not.toContain("\n");
    expect(requests).toEqual([]);
  });

  it("names a state that cannot be used, although others can, and each further one", async () => {
    const { id, baseUrl, requests, runCommand } = await startWithWebhook();
    const usable = stateWith(resourceOf(baseUrl, id));
    const pulumi = ofStacks({ dev: printing(usable), lost: "exit 6" });
    const files = { "good.json": usable, "bad.json": "" };
    const names = ["--stack", "dev", "--stack", "lost"];
    const saved = ["good.json", "none.json", "bad.json"].flatMap((name) => ["--state", name]);

    for (const args of [
      ["list", "--json"],
      ["delete", "7"],
    ]) {
      const result = await runCommand([...args, ...inDatabase, ...names, ...saved], {
        pulumi,
        files,
      });

      expect(result).toMatchObject({ exitCode: 1, stdout: "" });
      expect(result.stderr.split("\n")).toEqual([
        expect.stringContaining("stack lost: pulumi ended with 6"),
        expect.stringContaining("of none.json: no such file or directory."),
        expect.stringContaining("of bad.json: it is not the output of"),
        "",
      ]);
    }
    expect(requests).toEqual([]);
  });

  it("shows nothing if a stack cannot be exported after the lists", async () => {
    const { id, baseUrl, runCommand } = await startWithWebhook();
    const pulumi = `${printingOnce(stateWith(resourceOf(baseUrl, id)), "")}\n`;

    const result = await runCommand(["list", ...ofStack], { pulumi });

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
  });

  it("exports again after a failure, and reads a large state", async () => {
    const { id, baseUrl, runCommand } = await startWithWebhook();
    const pulumi = `
      for attempt in 1 2; do mkdir "$0.$attempt" 2> /dev/null && { echo error: EOF >&2; exit 1; }; done
      head -c 20000000 /dev/zero | tr '\\0' ' '; ${printing(stateWith(resourceOf(baseUrl, id)))}`;

    const { exitCode, stdout } = await runCommand(["list", ...ofStack], { pulumi });

    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining("urn:") });
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)(
    "ends the Pulumi CLI when it gets %s alone",
    async (signal) => {
      const { environmentWith } = await startWithWebhook();

      await withDirectory(async (directory) => {
        const PATH = await writePulumi(directory, 'echo $$ > "$0.pid"; exec sleep 600');
        const environment = { ...environmentWith({}), PATH };
        const command = start(node, [program, "list", ...ofStack], { directory, environment });
        const pidFile = join(directory, "pulumi.pid");
        const pid = await vi.waitUntil(
          async () => Number(await readFile(pidFile, "utf8").catch(() => "")),
          { timeout: 30_000 },
        );

        command.child.kill(signal);

        await command.result;
        expect(command.child.signalCode).toBe(signal);
        const isAlive = () => {
          try {
            return process.kill(pid, 0);
          } catch {
            return false;
          }
        };
        await vi.waitUntil(() => !isAlive(), { timeout: 30_000 });
      });
    },
  );

  it("fails if a list cannot be read, shows the other ones, and writes no files of an import", async () => {
    const { service, id, baseUrl, runCommand } = await startWithWebhook();
    service.use((request, next) => (request.databaseId === "base_2" ? notFound() : next()));
    const args = ["list", ...inDatabase, "--database", "base_2"];
    const call = { pulumi: printing(stateWith(resourceOf(baseUrl, "7"))) };

    const shown = await runCommand(args);
    const inJson = await runCommand([...args, "--json"]);
    const written = await runCommand([...args, "--stack", "dev", "--import", "new"], call);

    expect(shown).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(id) });
    expect(inJson.exitCode).toBe(1);
    expect(JSON.parse(inJson.stdout).databases).toMatchObject([
      { databaseId, webhooks: [{ id }] },
      { databaseId: "base_2", error: expect.stringContaining("404 NOT_FOUND") },
    ]);
    expect(written).toMatchObject({ exitCode: 1, stdout: "", written: {} });
    expect(written.stderr).toMatch(/bases\/base_2\/webhooks returned 404 NOT_FOUND/);
  });

  it.each([
    ["401", respondWith(401, { body: { error: { code: "UNAUTHORIZED" } } }), "401 UNAUTHORIZED"],
    ["a redirect", respondWith(302, { headers: { location: "https://b.test/c" } }), "to b.test"],
    ["a page", respondWith(200, { body: "<html>" }), "other than what the API describes"],
    ["no list", respondWith(200, { body: { items: [] } }), "other than what the API describes"],
    [
      "an error",
      respondWith(200, { body: { webhooks: [], error: {} } }),
      "other than what the API describes",
    ],
    ["an odd entry", respondWith(200, { body: { webhooks: [{ ...entry, active: 1 }] } }), "entry"],
    ["an id twice", respondWith(200, { body: { webhooks: [entry, entry] } }), "entry in its list"],
    [
      "a control character",
      respondWith(200, { body: { webhooks: [{ ...entry, url: "https://a.test/\u001b[2J" }] } }),
      "entry in its list",
    ],
  ])("says what to check if a list gets %s", async (_, response, text) => {
    const { service, runCommand } = await startWithWebhook();
    service.use(response);

    const { exitCode, stdout, stderr } = await runCommand(["list", ...inDatabase]);

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toContain(text);
    expect(stderr).toMatch(/DBWEBHOOKS_API_KEY, DBWEBHOOKS_BASE_URL .*login page, a firewall/);
  });

  it("says of each list that it may be a part, and misses nothing in it", async () => {
    const { service, baseUrl, runCommand } = await startWithWebhook();
    service.use(respondWith(200, { body: { webhooks: [entry], next: "page 2" } }));
    const call = { pulumi: printing(stateWith(resourceOf(baseUrl, "18"))) };

    const shown = await runCommand(["list", ...ofStack, "--database", "base_2"], call);

    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toMatch(/^base_1 +18 +unknown .* urn:18$/m);
    expect(shown.stderr).toMatch(/^warning: .*database base_1 may be a part/m);
    expect(shown.stderr).toMatch(/^warning: .*database base_2 may be a part/m);
  });

  it("does not take a state that names no database for a service without webhooks", async () => {
    const { requests, runCommand } = await startWithWebhook();
    const pulumi = printing(stateWith(resourceOf("https://a.test", "7")));

    for (const further of [[], ["--json"], ["--import", "new"]]) {
      const result = await runCommand(["list", "--stack", "dev", ...further], { pulumi });

      expect(result).toMatchObject({ exitCode: 1, stdout: "", written: {} });
      expect(result.stderr).toMatch(/name no database .*--database.*https:\/\/a\.test/);
    }
    expect(requests).toEqual([]);
  });

  it("does not read DBWEBHOOKS_LISTING", async () => {
    const { runCommand } = await startWithWebhook();
    const variables = { DBWEBHOOKS_LISTING: "not valid" };

    expect(await runCommand(["list", ...inDatabase], { variables })).toMatchObject({ exitCode: 0 });
  });

  it.each(["BASE_URL", "API_KEY", "TIMEOUT_SECONDS", "RETRY_SECONDS"])(
    "reads DBWEBHOOKS_%s, and names it where it is not valid",
    async (name) => {
      const { requests, runCommand } = await startWithWebhook();
      const variables = { [`DBWEBHOOKS_${name}`]: "not valid sk_live_12345678" };

      const result = await runCommand(["list", ...inDatabase], { variables });

      expect(result).toMatchObject({ exitCode: 1, stdout: "" });
      expect(result.stderr).toMatch(new RegExp(`^DBWEBHOOKS_${name} must be .*\nNothing was sent`));
      expect(result.stderr).not.toContain("sk_live");
      expect(requests).toEqual([]);
    },
  );

  it("fails without a key, and shows no wrong one", async () => {
    const { requests, runCommand } = await startWithWebhook();
    const args = ["list", ...inDatabase];

    const missing = await runCommand(args, { apiKey: "", variables: { DBWEBHOOKS_BASE_URL: "" } });
    const wrong = await runCommand(args, { apiKey: "sk_live_12345678" });

    expect(missing).toMatchObject({ exitCode: 1, stdout: "" });
    expect(missing.stderr).toMatch(
      /^DBWEBHOOKS_BASE_URL is not set\.\nDBWEBHOOKS_API_KEY is not set/,
    );
    expect(wrong).toMatchObject({ exitCode: 1, stdout: "" });
    expect(wrong.stderr).toMatch(/ returned 401 .*DBWEBHOOKS_API_KEY/);
    expect(wrong.stderr).not.toContain("sk_live");
    expect(requests).toHaveLength(1);
  });

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

  it("tells equal ids of two databases apart, and fails if one import has no room for both", async () => {
    const { service, id, baseUrl, runCommand } = await startWithWebhook();
    const [webhook] = service.webhooks;
    service.webhooks = [...service.webhooks, { ...webhook, databaseId: "base_2" } as never];
    const outputs = { databaseId: "base_2", baseUrl };
    const both = ["list", ...ofStack, "--database", "base_2", "--import", "new"];

    const neither = await runCommand(both, {
      pulumi: printing(stateWith(resourceOf(baseUrl, "7"))),
    });
    const one = await runCommand(both, {
      pulumi: printing(stateWith(resourceOf(baseUrl, id, { outputs }))),
    });

    expect(neither.exitCode).toBe(1);
    expect(neither.stdout).toMatch(/Left out 1 more.*Described 1 webhook in/s);
    expect(one.exitCode).toBe(0);
    const { resources } = JSON.parse(one.written["new/import.json"] ?? "");
    expect(resources).toMatchObject([{ id, name: `webhook-base_1-${id}` }]);
  });

  it("names the files of an import as a shell reads them in a directory that looks like an option", async () => {
    const { baseUrl, runCommand } = await startWithWebhook();
    const pulumi = printing(stateWith(resourceOf(baseUrl, "7")));

    const { stdout, written } = await runCommand(["list", ...ofStack, "--import=-new"], { pulumi });

    const [, file] = /DBWEBHOOKS_IMPORT="\$\(cat (.+)\)" pulumi/.exec(stdout) ?? [];
    expect(file).toBe("./-new/webhooks.json");
    expect(Object.keys(written)).toContain("-new/webhooks.json");
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

  it("deletes a webhook that no given stack has, and says if one has none of the database", async () => {
    const { service, id, baseUrl, runCommand } = await startWithWebhook();
    const pulumi = ofStacks({
      dev: printing(stateWith(resourceOf(baseUrl, "7"))),
      // Its id in another database is another webhook.
      wrong: printing(
        stateWith(resourceOf(baseUrl, id, { outputs: { databaseId: "base_2", baseUrl } })),
      ),
    });

    const result = await runCommand(["delete", ...ofStack, "--stack", "wrong", id], { pulumi });

    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Deleted") });
    expect(result.stderr).toMatch(
      /^warning: .* stack wrong has no Webhook of database base_1\.\n$/,
    );
    expect(service.webhooks).toEqual([]);
  });

  it.each([
    ["a resource", {}, /stack other, .* belongs to urn:\d+\.\n$/],
    ["a pending deletion", { delete: true }, /to urn:\d+, whose deletion is pending\.\n$/],
    [
      "a resource at another base URL",
      { outputs: { databaseId, baseUrl: "https://a.test" } },
      /to urn:\d+ at https:\/\/a\.test, which .* service\.\n$/,
    ],
  ])(
    "sends nothing for a webhook that %s of one of several stacks has",
    async (_, changes, text) => {
      const { id, baseUrl, requests, runCommand } = await startWithWebhook();
      const pulumi = ofStacks({
        dev: printing(stateWith(resourceOf(baseUrl, "7"))),
        other: printing(stateWith(resourceOf(baseUrl, id, changes))),
      });

      const result = await runCommand(["delete", ...ofStack, "--stack", "other", id], { pulumi });

      expect(result).toMatchObject({ exitCode: 1, stdout: "" });
      expect(result.stderr).toMatch(text);
      // It would be wrong with `retainOnDelete`.
      expect(result.stderr).not.toMatch(/remove|pulumi up/i);
      expect(requests).toEqual([]);
    },
  );

  it("sends nothing for a webhook that only the second reading of a stack has", async () => {
    const { id, baseUrl, requests, runCommand } = await startWithWebhook();
    const pulumi = printingOnce(stateWith(), stateWith(resourceOf(baseUrl, id)));

    const result = await runCommand(["delete", ...ofStack, id], { pulumi });

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(requests).toEqual([]);
  });

  it.each([
    ["in both readings", (pending: string) => printing(pending)],
    ["before", (pending: string) => printingOnce(pending, stateWith())],
    ["after", (pending: string) => printingOnce(stateWith(), pending)],
  ])("sends nothing while a creation is in flight: %s", async (_, cliOf) => {
    const { id, requests, runCommand } = await startWithWebhook();
    for (const database of [databaseId, { ...secretDatabase, ciphertext: "v1:abc" }]) {
      const pulumi = cliOf(pendingIn({ "urn:new": database }));

      const result = await runCommand(["delete", ...ofStack, id], { pulumi });

      expect(result).toMatchObject({ exitCode: 1, stdout: "" });
      expect(result.stderr).toMatch(
        /^Did not delete .*stack dev.*urn:new.*--clear-pending-creates/,
      );
      expect(requests).toEqual([]);
    }
  });

  it("deletes a webhook while a creation is in flight in another database", async () => {
    const { id, runCommand } = await startWithWebhook();
    const pulumi = printing(pendingIn({ "urn:new": "base_2" }));

    expect(await runCommand(["delete", ...ofStack, id], { pulumi })).toMatchObject({ exitCode: 0 });
  });

  it("fails if the service cannot be reached", async () => {
    const { id, runCommand } = await startWithWebhook();
    const variables = { DBWEBHOOKS_BASE_URL: refusedUrl, DBWEBHOOKS_RETRY_SECONDS: "1" };

    const result = await runCommand(["delete", ...inDatabase, id], { variables });

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(
      /may still exist: .*could not connect \(ECONNREFUSED.* attempts .*DBWEBHOOKS_RETRY_SECONDS/,
    );
  });

  it.each([503, 429])("lives on until a retry after %i has deleted the webhook", async (status) => {
    const { service, id, runCommand } = await startWithWebhook();
    service.use(times(1, respondWith(status)));

    const result = await runCommand(["delete", ...inDatabase, id]);

    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Deleted") });
    expect(service.webhooks).toEqual([]);
  });

  it("fails without a confirmation, and says that a retry may have deleted the webhook", async () => {
    const { service, id, runCommand } = await startWithWebhook();
    service.use(
      times(1, async (_, next) => {
        await next();
        return new Response(undefined, { status: 502 });
      }),
    );

    const result = await runCommand(["delete", ...inDatabase, id]);

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(/has no webhook \d+\. .* may have deleted it\.\n$/);
  });

  it.each([
    ["the service cannot list", { listing: false }, undefined, "no complete list"],
    ["the list is a part", {}, [{ webhooks: [], next: "page 2" }], "no complete list"],
    ["the list still has it", {}, [{ webhooks: [{ ...entry, id: 7 }] }], "but lists it"],
    ["an odd list still has it", {}, [{ webhooks: [{ id: 7 }] }], "but lists it"],
    [
      "a cache has stored the list",
      {},
      [{ webhooks: [{ id: 7 }] }, { headers: { age: "55" } }],
      "no complete list",
    ],
  ] as const)("fails after a 404 if %s", async (_, options, list, text) => {
    const { service, runCommand } = await startWithWebhook(options);
    service.use(async ({ method }, next) =>
      method === "GET" && list !== undefined ? Response.json(list[0], list[1]) : next(),
    );

    // For Pulumi, the variable is the way without a list.
    const variables = { DBWEBHOOKS_LISTING: "false" };
    const result = await runCommand(["delete", ...inDatabase, "7"], { variables });

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toMatch(new RegExp(`returned 404 for webhook 7 .*${text}`));
  });

  it.each([
    [respondWith(202), "202"],
    [respondWith(200, { body: { success: false, message: "It is in use." } }), "It is in use."],
    [respondWith(401, { body: { error: { code: "UNAUTHORIZED" } } }), "401 UNAUTHORIZED"],
    [respondWith(410, { body: { error: { code: "GONE" } } }), "410"],
    [respondWith(302, { headers: { location: "https://login.test/" } }), "to login.test (https:)"],
  ])("fails with what the service said, and nothing that only Pulumi does", async (fault, text) => {
    const { service, id, runCommand } = await startWithWebhook();
    service.use(fault);

    const result = await runCommand(["delete", ...inDatabase, id]);

    expect(result).toMatchObject({ exitCode: 1, stdout: "" });
    expect(result.stderr).toContain(text);
    expect(result.stderr).toMatch(/may still exist.*DBWEBHOOKS_API_KEY, DBWEBHOOKS_BASE_URL/);
    expect(result.stderr).not.toMatch(/pulumi|stack|listing|--parallel|Provider\b|dbwebhooks:/);
    expect(service.webhooks).toHaveLength(1);
  });
});
