import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { errorOf } from "../helpers/error-of.js";
import { type RawServer, startRawServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import { type ProviderProcess, partialCreationOf } from "../helpers/shells/grpc-provider.js";
import { startDynamicProvider, webhookInputs } from "../helpers/shells/provider-process.js";

const inputs = webhookInputs();

// Names that the interface gives a meaning to, and those that JavaScript does.
const name = fc.oneof(
  fc.constantFrom("id", "secret", "error", "code", "message", "success"),
  fc.constantFrom("__proto__", "constructor", "prototype", "toString", "then", "toJSON"),
  fc.string(),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom('"whsec_5tGq8LrN3c"', "17", "0", "1e999", "-1", "true", "null", '"NOT_FOUND"'),
    fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
    // Escapes of lone surrogates and of control characters survive JSON's way into a string.
    fc.constantFrom('"\\ud800"', '"\\u0000\\r\\n\\u2028"', `"${"long ".repeat(3_000)}"`),
    fc.array(tie("json")).map((values) => `[${values.join()}]`),
    fc
      .array(fc.tuple(name, tie("json")))
      .map((fields) => `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`)}}`),
  ),
})) as { json: fc.Arbitrary<string> };

const status = fc.oneof(
  fc.constantFrom(200, 201, 204, 303, 400, 401, 404, 408, 429, 500, 503),
  fc.integer({ min: 100, max: 999 }),
);
const headerText = fc.oneof(
  fc.constantFrom("retry-after: 9e9", "retry-after: 0", "location: //\\", "content-length: 3"),
  fc.constantFrom("transfer-encoding: chunked", "content-encoding: gzip", "connection: close"),
  fc.string({ unit: "binary-ascii" }),
);
const body = fc.oneof(json, fc.string({ unit: "binary" }));

/** The shapes of the interface with anything in their places. */
const shaped = fc.oneof(
  json,
  fc.tuple(json, json).map(([id, secret]) => `{"id":${id},"secret":${secret}}`),
  fc.tuple(json, json).map(([code, text]) => `{"error":{"code":${code},"message":${text}}}`),
  json.map((success) => `{"success":${success}}`),
);

/** An answer that is HTTP at least in its first line. */
const httpAnswer = fc
  .tuple(status, fc.array(headerText, { maxLength: 3 }), body)
  .map(([code, headers, text]) =>
    Buffer.from([`HTTP/1.1 ${code} Some Reason`, ...headers, "", text].join("\r\n")),
  );
/** An answer that is JSON, whatever it says. */
const jsonAnswer = fc
  .tuple(status, shaped)
  .map(([code, text]) => httpMessage(code < 200 ? 200 : code, text));
const anyBytes = fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes));

/** What a creation succeeds with, which chance does not find. */
const created = httpMessage(201, '{"id":17,"secret":"whsec_5tGq8LrN3cVbYx0K"}');

const runs: fc.Parameters<[Buffer]> = { numRuns: 60, examples: [[created]] };

// One process for all answers, so that an answer also shows what it leaves behind for the next.
let server: RawServer;
let provider: ProviderProcess;
let answer: (socket: Socket) => unknown;

function answerWith(bytes: Buffer): void {
  answer = (socket) => socket.end(bytes);
}

beforeAll(async () => {
  server = await startRawServer((socket) => answer(socket));
  provider = await startDynamicProvider({
    "dbwebhooks:baseUrl": server.url,
    "dbwebhooks:apiKey": "sk_live_K7pQ2mX9vT4wZ8aB",
    "dbwebhooks:retrySeconds": "0",
    "dbwebhooks:timeoutSeconds": "2",
  });
});

afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

afterEach(async () => {
  answerWith(created);
  const { id } = await provider.create(inputs);
  expect(id).toBe("17");
  expect(provider.output()).not.toMatch(/unhandled|\n\s+at /i);
  expect(provider.child.exitCode).toBeNull();
});

describe.each<[string, fc.Arbitrary<Buffer>]>([
  ["JSON", jsonAnswer],
  ["HTTP", httpAnswer],
  ["bytes", anyBytes],
])("Any answer of %s", (_kind, answers) => {
  const forAny = (use: () => Promise<void>) =>
    fc.assert(
      fc.asyncProperty(answers, (bytes) => {
        answerWith(bytes);
        return use();
      }),
      runs,
    );

  it("ends a creation with a secret or with a message", () =>
    forAny(async () => {
      const end = await provider.create(inputs).catch((error: unknown) => error as Failure);

      if ("outs" in end) {
        expect(end.id).toMatch(/^\d+$/);
        expect(Object.keys(end.outs).toSorted()).toEqual([
          "__provider",
          "baseUrl",
          "databaseId",
          "events",
          "secret",
          "url",
        ]);
        expect((end.outs.secret as { value: string }).value).not.toBe("");
      } else {
        expectMessage(end);
      }
    }));

  it("ends a deletion well or with a message", () =>
    forAny(async () => {
      const state = { ...inputs, baseUrl: server.url, secret: "whsec_5tGq8LrN3cVbYx0K" };

      const error = await provider.delete("17", state).catch((cause: Failure) => cause);

      if (error !== undefined) {
        expectMessage(error);
      }
    }));
});

describe("An answer", () => {
  it("that never ends is cut off", async () => {
    const endless: Record<string, (socket: Socket) => unknown> = {
      body: (socket) => pour(socket, "HTTP/1.1 201 Created\r\n\r\n", " ".repeat(65_536)),
      chunks: (socket) =>
        pour(socket, "HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\n \r\n"),
      headers: (socket) => pour(socket, "HTTP/1.1 201 Created\r\n", `x: ${"y".repeat(1_000)}\r\n`),
      one_header: (socket) => pour(socket, "HTTP/1.1 201 Created\r\nx: ", "y".repeat(65_536)),
      interim_answers: (socket) => pour(socket, "", "HTTP/1.1 103 Early Hints\r\n\r\n"),
      status_line: (socket) => pour(socket, "HTTP/1.1 201 ", "y".repeat(65_536)),
    };
    // Each to its own database, all at once: most of them last until the time is over.
    answer = (socket) => {
      const [, name = ""] = /\/bases\/(\w+)/.exec(server.requests.at(-1) ?? "") ?? [];
      return endless[name]?.(socket);
    };

    const outcomes = await Promise.all(
      Object.keys(endless).map(async (databaseId) => {
        const error = await errorOf(provider.create({ ...inputs, databaseId }));
        return [databaseId, kindOf(error)];
      }),
    );

    expect(outcomes).toEqual(Object.keys(endless).map((name) => [name, "inDoubt"]));
  });

  it("of nearly 1 MiB is read to its end", async () => {
    const texts = [
      "[".repeat(400_000),
      '{"a":'.repeat(200_000),
      `{${Array.from({ length: 80_000 }, (_, at) => `"${at}":0`).join()}}`,
      `{"id":${"9".repeat(1_000_000)},"secret":"s"}`,
      `{"error":{"code":"X","message":"${"https://".repeat(120_000)}"}}`,
    ];
    for (const bytes of texts.flatMap((text) =>
      [201, 400].map((code) => httpMessage(code, text)),
    )) {
      answerWith(bytes);

      const error = await provider.create(inputs).catch((cause: unknown) => cause as Failure);

      expectMessage(error as Failure);
    }
  });

  it("changes no prototype", async () => {
    const texts = [
      '{"__proto__":{"id":17,"secret":"whsec_polluted"}}',
      '{"id":17,"__proto__":{"secret":"whsec_polluted"}}',
      '{"id":17,"constructor":{"prototype":{"secret":"whsec_polluted"}}}',
      '{"id":{"__proto__":17},"secret":{"__proto__":"whsec_polluted"}}',
      '[{"__proto__":{"id":17,"secret":"whsec_polluted"}}]',
      '{"error":{"__proto__":{"code":"NOT_FOUND"}},"__proto__":{"success":true}}',
    ];
    const state = { ...inputs, baseUrl: server.url, secret: "whsec_5tGq8LrN3cVbYx0K" };
    for (const bytes of texts.flatMap((text) =>
      [201, 404].map((code) => httpMessage(code, text)),
    )) {
      answerWith(bytes);

      await expect(provider.create(inputs)).rejects.toThrow("base_abc123");
      expect(kindOf(await errorOf(provider.delete("17", state)))).toBe("kept");
    }
    answerWith(httpMessage(201, "{}"));
    expect(kindOf(await errorOf(provider.create(inputs)))).toBe("inDoubt");
    answerWith(httpMessage(200, "{}"));
    expect(kindOf(await errorOf(provider.delete("17", state)))).toBe("kept");
  });
});

interface Failure {
  readonly details: string;
}

function httpMessage(statusCode: number, text: string): Buffer {
  const head = `HTTP/1.1 ${statusCode} Some Reason\r\ncontent-length: ${Buffer.byteLength(text)}`;
  return Buffer.from(`${head}\r\nconnection: close\r\n\r\n${text}`);
}

/** What Pulumi can carry, and a person can read: of an error or of a partial creation. */
function expectMessage(error: Failure): void {
  const reasons = partialCreationOf(error)?.getReasonsList() ?? [];
  for (const message of [error.details, ...reasons]) {
    expect(message).toMatch(/\bbase_abc123\b.*\. \[\w+\]$/u);
    expect(message).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    expect(message.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(message)).toBeLessThan(2_048);
  }
}

/** Writes without an end. */
async function pour(socket: Socket, head: string, part: string): Promise<void> {
  socket.write(head);
  while (!socket.destroyed) {
    if (!socket.write(part)) {
      await Promise.race([
        new Promise((resolve) => socket.once("drain", resolve)),
        new Promise((resolve) => socket.once("close", resolve)),
      ]);
    }
    await delay(1);
  }
}
