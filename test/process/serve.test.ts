import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli, type Serving, serve } from "../helpers/cli.js";
import { temporaryDirectory } from "../helpers/directory.js";
import { refusedUrl } from "../helpers/http-server.js";
import { startReceiver } from "../helpers/receiver.js";

describe("pulumi-dbwebhooks serve", () => {
  it("says where it listens, and what to paste", async () => {
    const { output, baseUrl } = await serve();

    expect(output()).toBe(`The local service listens at ${baseUrl}
API keys: 1. It forgets everything when it stops; --data FILE keeps it.

Configure a stack with:

  pulumi config set dbwebhooks:baseUrl ${baseUrl}
  pulumi config set --secret dbwebhooks:apiKey local-api-key

Stop it with ^C.

`);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("stops at %s, cleanly", async (signal) => {
    const service = await serve();
    await create(service);

    expect(await service.end(signal)).toEqual({ code: 0, signal: null });
    expect(service.output()).toMatch(/\nStopped\.\n$/);
  });

  it("answers a client that knows nothing but the interface", async () => {
    const service = await serve();
    const call = (method: string, path: string, body?: object) =>
      fetch(`${service.baseUrl}/api/v1/bases/base_abc123/webhooks${path}`, {
        method,
        headers: { Authorization: "Bearer local-api-key", "Content-Type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });

    const created = await call("POST", "", {
      url: "https://example.com/",
      events: ["record.created"],
    });
    const { id, secret } = (await created.json()) as { id: number; secret: string };
    const deleted = await call("DELETE", `/${id}`);
    const again = await call("DELETE", `/${id}`);

    expect([id, secret]).toEqual([1, expect.stringMatching(/^whsec_/)]);
    expect(await deleted.json()).toMatchObject({ success: true });
    expect([again.status, await again.json()]).toMatchObject([
      404,
      { error: { code: "NOT_FOUND" } },
    ]);
  });

  it("takes keys with their databases, and shows none that somebody chose", async () => {
    const service = await serve("--api-key", "all", "--api-key", "some=base_1,base_2");
    const statusOf = async (apiKey: string, database: string) =>
      (await create(service, { apiKey, database })).status;

    expect(await statusOf("all", "base_9")).toBe(201);
    expect(await statusOf("some", "base_2")).toBe(201);
    expect(await statusOf("some", "base_9")).toBe(404);
    expect(await statusOf("local-api-key", "base_1")).toBe(401);
    expect(service.output()).toMatch(/--secret dbwebhooks:apiKey\n/);
  });

  it("takes --listing, --rate-limit, --allow-unknown-events and --deliver-to", async () => {
    await using receiver = await startReceiver();
    const service = await serve(
      ...["--listing", "--rate-limit", "2.5", "--allow-unknown-events"],
      ...["--deliver-to", receiver.url],
    );
    await create(service, { url: "https://hooks.invalid/a", events: ["view.created"] });
    const list = await fetch(`${service.baseUrl}/api/v1/bases/base_1/webhooks`, {
      headers: { authorization: "Bearer local-api-key" },
    });

    const limited = await create(service);
    await emit(service, [], "local-api-key", "view.created");

    expect(await list.json()).toMatchObject({ webhooks: [{ id: 1, events: ["view.created"] }] });
    expect(limited.status).toBe(429);
    expect(receiver.notifications.map(({ path }) => path)).toEqual(["/a"]);
  });

  it("listens for everybody with --allow-remote, and says so", async () => {
    const { output } = await serve("--host", "0.0.0.0", "--allow-remote");

    expect(output()).toMatch(
      /listens at http:\/\/0\.0\.0\.0:\d+, for everybody who can reach it\n/,
    );
  });

  it("says that the port is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };

    const { exitCode, stderr } = await runCli(["serve", "--port", String(port)]);

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `Port ${port} of 127.0.0.1 is taken. Choose another with --port, or 0 for any free one.\n`,
    );
  });
});

describe("serve --data", () => {
  it("loses no acknowledged subscription when it is killed", async () => {
    const file = temporaryFile();
    const killed = await serve("--data", file);
    const first = await create(killed);
    await create(killed);
    await fetch(`${killed.baseUrl}/api/v1/bases/base_1/webhooks/2`, {
      method: "DELETE",
      headers: { authorization: "Bearer local-api-key" },
    });
    await killed.end("SIGKILL");

    await using receiver = await startReceiver();
    const service = await serve("--data", file, "--deliver-to", receiver.url);
    await emit(service);
    const next = await create(service);

    expect(service.output()).toContain("Webhooks: 1, pending deliveries: 0.");
    const [{ rawBody = "", headers = {} } = {}] = receiver.notifications;
    new Webhook(first.secret).verify(rawBody, headers as Record<string, string>);
    expect(next.id).toBe(3);
  });

  it("loses no subscription that was acknowledged before a kill in the middle of creations", async () => {
    const file = temporaryFile();
    const killed = await serve("--data", file);
    const acknowledged: number[] = [];
    const enough = Promise.withResolvers<void>();
    const createOnAndOn = async () => {
      for (;;) {
        acknowledged.push((await create(killed)).id);
        if (acknowledged.length === 100) {
          enough.resolve();
        }
      }
    };
    const clients = Array.from({ length: 4 }, () => createOnAndOn().catch(() => {}));
    await enough.promise;
    await killed.end("SIGKILL");
    await Promise.all(clients);

    const service = await serve("--data", file, "--listing");
    const { webhooks } = await list(service);

    expect(webhooks.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
  });

  it("delivers what was pending when it was killed, under the same event id", async () => {
    const file = temporaryFile();
    const url = await refusedUrl();
    const killed = await serve("--data", file);
    await create(killed, { url });
    const emitted = await emit(killed, ["--wait", "0"]);
    await killed.line(/will be tried again in/);
    await killed.end("SIGKILL");
    await using receiver = await startReceiver(undefined, Number(new URL(url).port));

    const service = await serve("--data", file);
    await service.line(/delivered$/);

    expect(service.output()).toContain("Webhooks: 1, pending deliveries: 1.");
    expect(receiver.notifications.map(({ body }) => `${body.id}\n`)).toEqual([
      emitted.stdout.split("webhook")[0],
    ]);
  });

  it("says what becomes of pending deliveries when it stops", async () => {
    const file = temporaryFile();
    const [keeping, forgetting] = await Promise.all([serve("--data", file), serve()]);
    for (const service of [keeping, forgetting]) {
      await create(service, { url: await refusedUrl() });
      await emit(service, ["--wait", "0"]);
      await service.end("SIGTERM");
    }

    expect(keeping.output()).toContain(`Stopped. Deliveries still pending are kept in ${file}: 1.`);
    expect(forgetting.output()).toContain("Stopped. Deliveries still pending are lost: 1.");
  });

  it("makes a file that nobody else can read", async () => {
    const file = temporaryFile();
    const service = await serve("--data", file);
    await create(service);

    expect([file, `${file}-wal`].map((one) => statSync(one).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  it("refuses a file that another service uses", async () => {
    const file = temporaryFile();
    await serve("--data", file);

    await expectRefused(file, "another process uses it. Stop that one, or use another file");
  });

  it("refuses a file of another kind, and leaves it as it is", async () => {
    const text = temporaryFile();
    writeFileSync(text, "This is a text, and somebody may need it.".repeat(50));
    const database = temporaryFile();
    const foreign = new DatabaseSync(database);
    foreign.exec("CREATE TABLE webhooks (name TEXT); INSERT INTO webhooks VALUES ('mine')");
    foreign.close();

    for (const file of [text, database]) {
      const before = readFileSync(file);
      await expectRefused(
        file,
        "it is not a file of the local service. Use another file, or a new one",
      );
      expect(readFileSync(file)).toEqual(before);
    }
  });

  it("refuses a file of a format that it does not know", async () => {
    const file = temporaryFile();
    await (await serve("--data", file)).end("SIGTERM");
    const database = new DatabaseSync(file);
    database.exec("PRAGMA user_version = 99");
    database.close();

    await expectRefused(
      file,
      "it has format 99, and this version of pulumi-dbwebhooks knows format 1. Use another file, or the version that wrote it",
    );
  });

  it("refuses a named pipe, at once", async () => {
    const file = temporaryFile();
    execFileSync("mkfifo", ["-m", "644", file]);

    await expectRefused(file, "it is not a regular file. Name another file");

    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  it("refuses a directory, and a file whose directory does not exist", async () => {
    const directory = temporaryDirectory();
    onTestFinished(() => directory.remove());

    await expectRefused(directory.path, "it is a directory. Name a file in it");
    await expectRefused(
      `${directory.path}/missing/service.db`,
      "its directory does not exist. Create that first",
    );
  });
});

describe("pulumi-dbwebhooks emit", () => {
  it("says who was told", async () => {
    await using receiver = await startReceiver();
    const service = await serve();
    await create(service, { url: receiver.url });
    await create(service, { url: receiver.url });

    const { exitCode, stdout } = await emit(service, [
      ...["--table", "tbl_1", "--data", '{"recordIds":["rec_1"]}', "--id", "evt_7"],
    ]);

    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      "evt_7\nwebhook 1: delivered, attempt 1: 204\nwebhook 2: delivered, attempt 1: 204\n",
    );
    expect(receiver.notifications[0]?.body).toMatchObject({
      id: "evt_7",
      type: "record.created",
      data: { tableId: "tbl_1", recordIds: ["rec_1"] },
    });
  });

  it("fails when a delivery is not over in time, and not when it is told not to wait", async () => {
    await using receiver = await startReceiver(() => 500);
    const service = await serve();
    await create(service, { url: receiver.url });

    const waiting = await emit(service, ["--wait", "0.1"]);
    const hurrying = await emit(service, ["--wait", "0"]);

    expect(waiting).toMatchObject({ exitCode: 1 });
    expect(waiting.stdout).toMatch(/\nwebhook 1: pending/);
    expect(hurrying).toMatchObject({ exitCode: 0 });
  });

  it("says that nobody was told", async () => {
    const { exitCode, stdout } = await emit(await serve());

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^evt_\w+\nNo active webhook of this database selects it\.\n$/);
  });

  it("takes address and key from the environment", async () => {
    const service = await serve("--api-key", "sk_env");

    const { exitCode } = await runCli(["emit", "record.created", "--database", "base_1"], {
      DBWEBHOOKS_BASE_URL: `${service.baseUrl}/`,
      DBWEBHOOKS_API_KEY: "sk_env",
    });

    expect(exitCode).toBe(0);
  });

  it("says what is wrong when the service refuses, without the key", async () => {
    const service = await serve("--api-key", "sk_some_key=base_1");
    const messageOf = async (args: readonly string[], apiKey = "sk_some_key") => {
      const { exitCode, stderr } = await emit(service, args, apiKey);
      expect(exitCode).toBe(1);
      expect(stderr).not.toContain(apiKey);
      return stderr.trimEnd();
    };

    expect(await messageOf([], "sk_wrong_key")).toBe(
      "The service does not know this API key. Set --api-key, or DBWEBHOOKS_API_KEY.",
    );
    expect(await messageOf(["--database", "base_2"])).toBe(
      "This API key may not use this database. Check --database and --api-key.",
    );
    expect(await messageOf(["--data", "7"])).toBe(
      "The service answered 400. Invalid event: data must be a JSON object.",
    );
    expect(await messageOf(["--url", `${service.baseUrl}/elsewhere`])).toBe(
      `${service.baseUrl} answered 404: it is no local service. Check --url.`,
    );
    const url = await refusedUrl();
    expect(await messageOf(["--url", url])).toBe(
      `No answer from ${url} (ECONNREFUSED). Is the local service running there? See pulumi-dbwebhooks serve.`,
    );
  });
});

describe("pulumi-dbwebhooks", () => {
  it("shows its commands, and the options of each", async () => {
    const [overview, ofServe, ofEmit] = await Promise.all([
      runCli(["--help"]),
      runCli(["serve", "--help"]),
      runCli(["emit", "--help"]),
    ]);

    expect([overview, ofServe, ofEmit].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(overview?.stdout).toMatch(/^ {2}serve .*\n(?: {4,}.*\n)* {2}emit /m);
    expect(ofServe?.stdout).toMatch(
      /^ {2}--api-key <KEY> +API key for all databases, or KEY=DATABASE/m,
    );
    expect(ofEmit?.stdout).toMatch(/^ {2}--database <ID> +Database/m);
  });

  it("fails with 2, and says why, when its words cannot be understood", async () => {
    expect(await runCli(["--versoin"])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "--versoin is not known; did you mean --version? See --help.\n",
    });
  });

  it("shows its version", async () => {
    const { version } = require("../../package.json") as { version: string };

    expect((await runCli(["--version"])).stdout).toBe(`${version}\n`);
  });
});

interface CreateOptions {
  readonly apiKey?: string;
  readonly database?: string;
  readonly url?: string;
  readonly events?: readonly string[];
}

async function create({ baseUrl }: Serving, options: CreateOptions = {}) {
  const { apiKey = "local-api-key", database = "base_1" } = options;
  const { url = "https://hooks.invalid/orders", events = ["record.created"] } = options;
  const answer = await fetch(`${baseUrl}/api/v1/bases/${database}/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ url, events }),
  });
  const { id, secret } = (await answer.json()) as { id: number; secret: string };
  return { status: answer.status, id, secret };
}

async function list({ baseUrl }: Serving): Promise<{ webhooks: { id: number }[] }> {
  const answer = await fetch(`${baseUrl}/api/v1/bases/base_1/webhooks`, {
    headers: { authorization: "Bearer local-api-key" },
  });
  return (await answer.json()) as { webhooks: { id: number }[] };
}

function emit(
  { baseUrl }: Serving,
  more: readonly string[] = [],
  apiKey = "local-api-key",
  type = "record.created",
) {
  const defaults = ["--database", "base_1", "--url", baseUrl, "--api-key", apiKey];
  return runCli(["emit", type, ...defaults, ...more]);
}

async function expectRefused(file: string, reason: string): Promise<void> {
  const { exitCode, stdout, stderr } = await runCli(["serve", "--port", "0", "--data", file]);
  expect([exitCode, stdout]).toEqual([1, ""]);
  expect(stderr).toBe(`The data file ${file} cannot be used: ${reason}.\n`);
}

function temporaryFile(): string {
  const directory = temporaryDirectory();
  onTestFinished(() => directory.remove());
  return `${directory.path}/service.db`;
}
