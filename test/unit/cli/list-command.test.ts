import { describe, expect, it } from "vitest";
import { listed, secretSignature } from "../../helpers/builders.ts";
import { startWithWebhook } from "../../helpers/command-with-service.ts";
import { notFound, respondWith } from "../../helpers/faults/faults.mts";
import {
  databaseId,
  inDatabase,
  ofStack,
  ofStacks,
  pendingIn,
  printing,
  printingOnce,
  resourceOf,
  stateWith,
} from "../../helpers/pulumi-stand-in.ts";
import { methodsOf } from "../../helpers/recorder.mts";

describe("The command list", () => {
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
      pulumi: `${pulumi}\nexit 6`,
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
    ["a creation in an unknown database", "creating", { ...secretSignature, ciphertext: "v1:abc" }],
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
    ["an odd entry", respondWith(200, { body: { webhooks: [listed({ active: 1 })] } }), "entry"],
    [
      "an id twice",
      respondWith(200, { body: { webhooks: [listed(), listed()] } }),
      "entry in its list",
    ],
    [
      "a control character",
      respondWith(200, { body: { webhooks: [listed({ url: "https://a.test/\u001b[2J" })] } }),
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
    service.use(respondWith(200, { body: { webhooks: [listed()], next: "page 2" } }));
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
