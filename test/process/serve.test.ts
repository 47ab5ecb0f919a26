import { createServer } from "node:net";
import { request } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli, type Serving, serve } from "../helpers/cli.js";
import { temporaryDirectory } from "../helpers/directory.js";
import { refusedUrl, startRawServer } from "../helpers/http-server.js";
import { startReceiver } from "../helpers/receiver.js";

describe("pulumi-dbwebhooks serve", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "says where it listens and what to paste, and stops at %s",
    async (signal) => {
      const service = await serve();
      const { baseUrl } = service;

      expect(await service.end(signal)).toEqual({ code: 0, signal: null });
      expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(service.output()).toBe(`The local service listens at ${baseUrl}
API keys: 1. It forgets everything when it stops; --data FILE keeps it.

Configure a stack with:

  pulumi config set dbwebhooks:baseUrl ${baseUrl}
  pulumi config set --secret dbwebhooks:apiKey local-api-key

Stop it with ^C.

Stopped.
`);
    },
  );

  it("hands its options to the service, and shows no key that somebody chose", async () => {
    await using receiver = await startReceiver();
    const service = await serve(
      ...["--listing", "--rate-limit", "0.001", "--allow-unknown-events", "--allow-remote"],
      ...["--deliver-to", receiver.url, "--api-key", "all", "--api-key", "some=base_1,base_2"],
      ...["--api-key", "lister"],
    );
    const body = { url: "https://hooks.invalid/a", events: ["view.created"] };
    const answers = [
      await post(service, { apiKey: "all", body, host: "evil.example" }),
      await post(service, { apiKey: "some", database: "base_9" }),
      await post(service),
      await post(service, { apiKey: "lister", method: "GET" }),
      await post(service, { apiKey: "all" }),
    ];

    await emit(service, ["--api-key", "some"], "view.created");

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 404, 401, 200, 429]);
    expect(answers[3]?.body).toMatchObject({ webhooks: [{ id: 1, events: ["view.created"] }] });
    expect(receiver.notifications.map(({ path }) => path)).toEqual(["/a"]);
    expect(service.output()).toMatch(/--secret dbwebhooks:apiKey\n/);
  });

  it.each(["0.0.0.0", "::", "::0"])(
    "listens for everybody with --allow-remote at %s, and says so and what to paste",
    async (host) => {
      const { output, port } = await serve("--host", host, "--allow-remote");

      expect(output()).toContain(`:${port}, for everybody who can reach it\n`);
      expect(output()).toContain(`
  pulumi config set dbwebhooks:baseUrl http://ADDRESS_OF_THIS_MACHINE:${port}
  pulumi config set dbwebhooks:allowInsecureBaseUrl true
  pulumi config set --secret dbwebhooks:apiKey local-api-key
`);
    },
  );

  it.each(["LOCALHOST", "[::1]", "0:0:0:0:0:0:0:1", "127.0.0.2"])(
    "takes --host %s for this machine alone",
    async (host) => {
      const { output, baseUrl } = await serve("--host", host);

      expect(output()).not.toContain("for everybody");
      expect((await fetch(`${baseUrl}/nothing/here`)).status).toBe(404);
    },
  );

  it("says that the port is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };

    expect(await runCli(["serve", "--port", String(port)])).toMatchObject({
      exitCode: 1,
      stderr: `Port ${port} of 127.0.0.1 is taken. Choose another with --port, or 0 for any free one.\n`,
    });
  });

  it("stops when it is told to, even while nobody reads what it writes", async () => {
    const service = await serve();
    service.child.stdout?.pause();
    // Together far more than a pipe and its reader take in.
    const url = `${service.baseUrl}/${"x".repeat(300)}`;
    for (let count = 0; count < 100; count++) {
      await Promise.all(Array.from({ length: 50 }, async () => (await fetch(url)).text()));
    }

    expect(await service.end("SIGINT")).toEqual({ code: 0, signal: null });
  });

  it("does not count as lost what it logs as delivered", async () => {
    await using receiver = await startRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
      const drip = setInterval(() => socket.write("."), 10);
      socket.on("close", () => clearInterval(drip));
    });
    const service = await serve("--deliver-to", receiver.url);
    await post(service);
    await emit(service, ["--wait", "0"]);
    await expect.poll(() => receiver.requests).toHaveLength(1);

    await service.end("SIGTERM");

    expect(service.output()).toMatch(/attempt 1: 200, delivered\nStopped\.\n$/);
  });
});

describe("serve --data", () => {
  it("loses nothing that was acknowledged before a kill in the middle of creations", async () => {
    const file = temporaryFile();
    const url = await refusedUrl();
    const killed = await serve("--data", file, "--listing");
    const { statusCode } = await post(killed, { body: { url, events: ["record.created"] } });
    const emitted = await emit(killed, ["--wait", "0"]);
    await killed.line(/will be tried again in/);
    const acknowledged: number[] = [];
    const enough = Promise.withResolvers<void>();
    const createOnAndOn = async () => {
      for (;;) {
        acknowledged.push((await post(killed, { database: "base_2" })).body.id);
        if (acknowledged.length === 100) {
          enough.resolve();
        }
      }
    };
    const clients = Array.from({ length: 4 }, () => createOnAndOn().catch(() => {}));
    await enough.promise;
    await killed.end("SIGKILL");
    await Promise.all(clients);
    await using receiver = await startReceiver(undefined, Number(new URL(url).port));

    const service = await serve("--data", file, "--listing");
    await service.line(/delivered$/);
    const { body } = await post(service, { method: "GET", database: "base_2" });

    expect(statusCode).toBe(201);
    expect(service.output()).toContain("pending deliveries: 1.");
    expect(receiver.notifications.map(({ body }) => `${body.id}\n`)).toEqual([
      emitted.stdout.split("webhook")[0],
    ]);
    expect(body.webhooks.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
  });

  it("says what becomes of pending deliveries when it stops", async () => {
    const file = temporaryFile();
    const services = await Promise.all([serve("--data", file), serve()]);
    for (const service of services) {
      await post(service, { body: { url: await refusedUrl(), events: ["record.created"] } });
      await emit(service, ["--wait", "0"]);
      await service.end("SIGTERM");
    }

    const [keeping = "", forgetting = ""] = services.map(({ output }) => output());
    expect(keeping).toContain(`Stopped. Deliveries still pending are kept in ${file}: 1.`);
    expect(forgetting).toContain("Stopped. Deliveries still pending are lost: 1.");
  });

  it("refuses a file that another service uses", async () => {
    const file = temporaryFile();
    await serve("--data", file);

    expect(await runCli(["serve", "--port", "0", "--data", file])).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `The data file ${file} cannot be used: another process uses it. Stop that one, or use another file.\n`,
    });
  });
});

describe("pulumi-dbwebhooks emit", () => {
  it("shows the deliveries, and fails when one is not over in the time to wait", async () => {
    await using receiver = await startReceiver(({ path }) => (path === "/never" ? 500 : 204));
    const service = await serve();
    const nobody = await emit(service);
    await post(service, { body: { url: receiver.url, events: ["record.created"] } });
    await post(service, { body: { url: `${receiver.url}/never`, events: ["record.deleted"] } });

    const delivered = await emit(service, [
      ...["--table", "tbl_1", "--data", '{"recordIds":["rec_1"]}', "--id", "evt_7"],
    ]);
    const late = await emit(service, ["--wait", "0.1"], "record.deleted");
    const hurried = await emit(service, ["--wait", "0"], "record.deleted");

    expect(nobody).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^evt_\w+\nNo active webhook of this database selects it\.\n$/),
    });
    expect(delivered).toMatchObject({
      exitCode: 0,
      stdout: "evt_7\nwebhook 1: delivered, attempt 1: 204\n",
    });
    expect(receiver.notifications[0]?.body).toMatchObject({
      data: { tableId: "tbl_1", recordIds: ["rec_1"] },
    });
    expect(late).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/\nwebhook 2: pending/),
    });
    expect(hurried).toMatchObject({ exitCode: 0 });
  });

  it("takes address and key from the environment, and says what is wrong without the key", async () => {
    const service = await serve("--api-key", "sk_some_key=base_1");
    const none = await refusedUrl();
    const environment = {
      DBWEBHOOKS_BASE_URL: `${service.baseUrl}/`,
      DBWEBHOOKS_API_KEY: "sk_some_key",
    };
    const messages: [string[], string][] = [
      [[], ""],
      [
        ["--api-key", "sk_wrong_key"],
        "The service does not know this API key. Set --api-key, or DBWEBHOOKS_API_KEY.\n",
      ],
      [
        ["--database", "base_2"],
        "This API key may not use this database. Check --database and --api-key.\n",
      ],
      [["--data", "7"], "The service answered 400. Invalid event: data must be a JSON object.\n"],
      [
        ["--url", `${service.baseUrl}/elsewhere`],
        `${service.baseUrl} answered 404: it is no local service. Check --url.\n`,
      ],
      [
        ["--url", none],
        `No answer from ${none} (ECONNREFUSED). Is the local service running there? See pulumi-dbwebhooks serve.\n`,
      ],
    ];

    for (const [args, message] of messages) {
      const words = ["emit", "record.created", "--database", "base_1", ...args];

      expect(await runCli(words, environment)).toMatchObject({
        exitCode: message === "" ? 0 : 1,
        stderr: message,
      });
    }
  });
});

interface PostChanges {
  readonly method?: "POST" | "GET";
  readonly apiKey?: string;
  readonly database?: string;
  readonly host?: string;
  readonly body?: object;
}

/** Asks for a webhook, or for the list of them. */
async function post({ baseUrl, port }: Serving, changes: PostChanges = {}) {
  const { method = "POST", apiKey = "local-api-key", database = "base_1" } = changes;
  const { host = `127.0.0.1:${port}` } = changes;
  const { body = { url: "https://hooks.invalid/orders", events: ["record.created"] } } = changes;
  const answer = await request(`${baseUrl}/api/v1/bases/${database}/webhooks`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", host },
    ...(method === "POST" && { body: JSON.stringify(body) }),
  });
  const { statusCode } = answer;
  const json = await answer.body.json();
  return { statusCode, body: json as { id: number; webhooks: { id: number }[] } };
}

function emit({ baseUrl }: Serving, more: readonly string[] = [], type = "record.created") {
  return runCli(["emit", type, "--database", "base_1", "--url", baseUrl, ...more]);
}

function temporaryFile(): string {
  const directory = temporaryDirectory();
  onTestFinished(() => directory.remove());
  return `${directory.path}/service.db`;
}
