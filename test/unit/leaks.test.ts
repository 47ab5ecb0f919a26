import type { Socket } from "node:net";
import { inspect } from "node:util";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { create, read, delete as remove } from "../../src/dynamic/provider.ts";
import { createWebhook } from "../../src/service/client.ts";
import {
  type Failure,
  PartialCreationError,
  presentable,
  WebhookError,
} from "../../src/service/errors.ts";
import {
  apiKey,
  errorBody,
  secret,
  someArgs,
  someOperation,
  someSettings,
  someState,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { refusedUrl, startRawServer, startServer } from "../helpers/http-server.ts";
import { answers, bodies, echo, expectNoLeak, tokens, url } from "../helpers/leaks.ts";
import { outcomeOf } from "../helpers/outcome-of.ts";
import { captureLines, configure } from "../helpers/provider.ts";
import { fakeTransport, response, restoreWorld, settled } from "../helpers/transport.ts";

afterEach(restoreWorld);

const args = () => someArgs({ url, __provider: "text" });

/** All that Pulumi, a log or a debugger could show of an error. */
function allTextsOf(error: Error): string[] {
  const { cause } = error;
  return [error, ...(cause === undefined ? [] : [cause])].flatMap((each) => [
    String(each),
    `${(each as Error).message}\n${(each as Error).stack}`,
    JSON.stringify(each),
    JSON.stringify(Object.getOwnPropertyDescriptors(each)),
    inspect(each, { showHidden: true, depth: null, maxStringLength: null }),
  ]);
}

function expectPresentable(error: Error): void {
  expect(error).toBeInstanceOf(WebhookError);
  expect(error.stack).toBe("");
  expect(error.message).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
  expect(error.message.isWellFormed()).toBe(true);
  expect(Buffer.byteLength(error.message)).toBeLessThan(2_000);
  for (const name of ["id", "properties", "reasons", "code", "details", "metadata", "cause"]) {
    expect(error).not.toHaveProperty(name);
  }
}

/** The message names the request and the status of its answer, and ends with a whole sentence. */
function expectComplete({ message }: Error, request: string, statusCode: number): void {
  expect(message).toContain(`: ${request} `);
  expect(message.split(request)[1]).toContain(String(statusCode));
  expect(message).toMatch(/\.$/);
}

describe("an error of a creation", () => {
  it.each(answers)(
    "shows nothing sensitive after status %i with %s",
    async (statusCode, _name, answer) => {
      await using server = await startServer(answer);
      await configure({ baseUrl: server.url, retrySeconds: "0" });

      const { lines, result } = await captureLines(() => errorOf(create(args())));

      expectNoLeak([...allTextsOf(result), ...lines]);
      expectPresentable(result);
      expectComplete(result, `POST ${server.url}/api/v1/bases/base_abc123/webhooks`, statusCode);
    },
  );

  it("shows nothing of a secret that came without an id", async () => {
    const other = "kB7wQz-another-secret-Xn4";
    await using server = await startServer({
      body: { secret: other, ...(errorBody("ODD", `The secret is ${other}`) as object) },
    });
    await configure({ baseUrl: server.url });

    const error = await errorOf(create(args()));

    expect(allTextsOf(error).join()).not.toContain("another-secret");
    expect(error.message).toContain('ODD "The secret is [redacted]"');
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ["a reset", (socket) => socket.resetAndDestroy()],
    ["no HTTP", (socket) => socket.end(`${echo}\r\n\r\n`)],
    ["an echo in a broken head", (socket) => socket.end(`HTTP/1.1 200 OK\r\n${apiKey}\r\n\r\n`)],
    ["an echo in the status line", (socket) => socket.end(`HTTP/1.1 999x ${apiKey}\r\n\r\n`)],
    [
      "half a body",
      (socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n${echo}`),
    ],
    ["no answer", () => undefined],
  ])("shows nothing sensitive after %s", async (_case, answer) => {
    await using server = await startRawServer(answer);
    await configure({ baseUrl: server.url, timeoutSeconds: "0.2" });

    const error = await errorOf(create(args()));

    expectNoLeak(allTextsOf(error));
    expectPresentable(error);
    expect(error.message).toContain(`POST ${server.url}`);
    expect(outcomeOf(error)).toBe("in doubt");
  });

  it("shows nothing sensitive when nothing listens", async () => {
    const baseUrl = await refusedUrl();
    await configure({ baseUrl, retrySeconds: "0" });

    const error = await errorOf(create(args()));

    expectNoLeak(allTextsOf(error));
    expectPresentable(error);
    expect(error.message).toContain(`POST ${baseUrl}`);
    expect(outcomeOf(error)).toBe("not created");
  });

  it("shows nothing of the proxy's password", async () => {
    vi.stubEnv(
      "HTTPS_PROXY",
      (await refusedUrl()).replace("//", `//${tokens.user}:${tokens.password}@`),
    );
    vi.stubEnv("NO_PROXY", "");
    await configure({ baseUrl: "https://tables.example.test", retrySeconds: "0" });

    const error = await errorOf(create(args()));

    vi.unstubAllEnvs();
    expectNoLeak(allTextsOf(error));
    expectPresentable(error);
  });

  it.each(bodies)(
    "shows nothing sensitive when the deletion fails too, with %s",
    async (_name, body) => {
      await using server = await startServer({ body: { id: 17 } }, { statusCode: 400, body });
      await configure({ baseUrl: server.url });

      const error = (await errorOf(create(args()))) as PartialCreationError;

      const { message, stack, name, reasons } = error;
      expectNoLeak([message, stack ?? "", name, ...reasons]);
      expect(Buffer.byteLength(message)).toBeLessThan(2_000);
      expect(outcomeOf(error)).toBe("partial creation");
      expect(message).toContain(`DELETE ${server.url}`);
      expect(message).toContain("400");
      expect(Object.keys(error).toSorted()).toEqual(["id", "name", "properties", "reasons"]);
    },
  );

  it("is complete and short, whatever database and service say", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 30 }),
      fc.string({ unit: "binary", minLength: 1_000, maxLength: 4_000 }),
    );
    const statusCode = fc.constantFrom(201, 302, 400, 401, 403, 404, 429, 500, 503);

    await fc.assert(
      fc
        .asyncProperty(text, text, statusCode, async (databaseId, said, status) => {
          const transport = await fakeTransport(() =>
            response(status, status === 429 ? 1e9 : undefined, errorBody(said, said)),
          );
          const webhook = {
            databaseId: databaseId.toWellFormed(),
            url,
            events: ["record.created"],
          };

          const operation = someOperation(`Create webhook in database ${webhook.databaseId}`);
          const account = { settings: someSettings(), transport };
          const creation = await settled(createWebhook(account, operation, webhook));
          const error = new WebhookError((creation as { failure: Failure }).failure);

          expect(error.message.length).toBeLessThan(1_900);
          expect(error.message).toContain("POST https://tables.example.com/");
          expect(error.message).toContain(String(status));
          expect(error.message.isWellFormed()).toBe(true);
        })
        .afterEach(restoreWorld),
    );
  });
});

describe("an error of a deletion", () => {
  const failing = answers.filter(([statusCode]) => statusCode >= 300);

  it.each(failing)(
    "shows nothing sensitive after status %i with %s",
    async (statusCode, _name, answer) => {
      await using server = await startServer(answer);
      await configure({ baseUrl: server.url, retrySeconds: "0" });
      const state = someState({ url, baseUrl: server.url });

      const { lines, result } = await captureLines(() => errorOf(remove("17", state)));

      expectNoLeak([...allTextsOf(result), ...lines]);
      expectPresentable(result);
      expectComplete(
        result,
        `DELETE ${server.url}/api/v1/bases/base_abc123/webhooks/17`,
        statusCode,
      );
      expect(outcomeOf(result)).toBe("kept");
    },
  );

  it("shows nothing sensitive when it is not confirmed", async () => {
    await using server = await startServer({ body: { success: false, message: echo } });
    await configure({ baseUrl: server.url });

    const error = await errorOf(remove("17", someState({ url, baseUrl: server.url })));

    expectNoLeak(allTextsOf(error));
    expectPresentable(error);
  });

  it("shows nothing sensitive when the account is another", async () => {
    await using server = await startServer({ statusCode: 404, body: errorBody("NOT_FOUND", echo) });
    await configure();

    const error = await errorOf(remove("17", someState({ url, baseUrl: server.url })));

    expectNoLeak(allTextsOf(error));
    expectPresentable(error);
    expect(error.message).toContain("pulumi state delete");
  });
});

describe("a refresh", () => {
  it.each(answers)(
    "shows nothing sensitive after status %i with %s",
    async (_statusCode, _name, answer) => {
      await using server = await startServer(answer);
      await configure({ baseUrl: server.url, retrySeconds: "0", listing: "true" });
      const state = someState({ url, baseUrl: server.url });

      const { lines, result } = await captureLines(() => read("17", state));

      expectNoLeak(lines);
      expect(lines.join("\n")).toContain("could be looked up");
      expect(result.id).toBe("17");
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe("what the service says", () => {
  it("is shown", async () => {
    await using server = await startServer({
      statusCode: 400,
      body: errorBody("BAD_REQUEST", "Too many\nwebhooks for this database (100)."),
    });
    await configure({ baseUrl: server.url });

    const { message } = await errorOf(create(someArgs()));

    expect(message).toContain('400 BAD_REQUEST "Too many webhooks for this database (100)."');
  });

  it("is cut to 200 characters", async () => {
    await using server = await startServer({
      statusCode: 400,
      body: errorBody("BAD_REQUEST", "Z".repeat(500)),
    });
    await configure({ baseUrl: server.url });

    const { message } = await errorOf(create(someArgs()));

    expect(message).toContain(`"${"Z".repeat(199)}…"`);
  });
});

describe("an error of this package", () => {
  it("is its message as text, without the name of a class", () => {
    expect(String(new WebhookError("It failed."))).toBe("It failed.");
  });

  it("is one line that Pulumi can carry, whatever it is made of", () => {
    const { message } = new WebhookError(`a\nb\ud800${"c".repeat(100_000)}`);

    expect(message).toMatch(/^a b\ufffdc+…$/);
    expect(message).toHaveLength(1_900);
  });
});

describe("an unexpected error", () => {
  const thrown: [string, unknown][] = [
    ["an error", new Error(`broken: ${echo}`)],
    ["an error with fields", Object.assign(new Error("x"), { id: "17", code: 5, details: echo })],
    ["an error with a cause", new Error("x", { cause: new Error(echo) })],
    ["a text", echo],
    ["null", null],
    ["undefined", undefined],
    ["a long one", new Error("x".repeat(100_000))],
    ["a lone surrogate", new Error("\ud800")],
  ];

  it.each(thrown)("is presented without what it carries: %s", async (_case, value) => {
    const sensitive = [apiKey, secret, ...Object.values(tokens)];

    const operation = someOperation("Create webhook", { hidden: sensitive });

    const error = presentable(value, operation);

    expectNoLeak(allTextsOf(error));
    expectPresentable(error);
  });

  it("is called a fault of this package", () => {
    const { message } = presentable(new Error("x"), someOperation("Create webhook"));

    expect(message).toBe(
      "Create webhook failed unexpectedly (x). This is a fault of pulumi-dbwebhooks: look at the service before you run the command again, and report the fault.",
    );
  });

  it("leaves a partial creation as it is", async () => {
    const partial = new PartialCreationError("17", { url }, "because");

    expect(presentable(partial, someOperation())).toBe(partial);
  });
});
