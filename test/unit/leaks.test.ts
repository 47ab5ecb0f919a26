import { inspect } from "node:util";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseJson } from "../../src/common/json.ts";
import { PartialCreationError, WebhookError } from "../../src/provider/errors.ts";
import { WebhookProvider } from "../../src/provider/provider.ts";
import { apiKey, errorBody, secret, secretMark, someArgs, someState } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import {
  refusedUrl,
  type StubResponse,
  startRawServer,
  startServer,
} from "../helpers/http-server.ts";
import { kindOf } from "../helpers/kind-of.ts";
import { echo, expectNoLeak, tokens, url } from "../helpers/leaks.ts";
import { someProvider, startProvider } from "../helpers/provider.ts";

afterEach(() => void vi.unstubAllEnvs());

/** Starts the operations on a webhook whose url holds tokens, for the service at a base URL. */
function operationsAt(baseUrl: string, settings: Record<string, string> = {}) {
  const run = startProvider({ baseUrl, retrySeconds: "0", ...settings });
  const state = someState({ url, baseUrl });
  return {
    create: () => run.create(someArgs({ url })),
    delete: () => run.delete("17", state),
    read: () => run.read("17", state),
    lines: run.lines,
  };
}

/** Returns everything that Pulumi, a log or a debugger could show of an error. */
function textsOf(error: Error): string[] {
  // Pulumi stores the properties of a partial creation, the url among them, and does not show them.
  return error instanceof PartialCreationError
    ? [String(error), ...error.reasons]
    : [
        String(error),
        `${error.message}\n${error.stack}`,
        JSON.stringify(Object.getOwnPropertyDescriptors(error)),
        inspect(error, { showHidden: true, depth: null, maxStringLength: null }),
      ];
}

function expectPresentableError(error: Error): void {
  expect(error).toBeInstanceOf(WebhookError);
  expectNoLeak(textsOf(error));
  expectPresentableLines([error.message]);
  expect(error).not.toHaveProperty("cause");
  expect(error.stack).toBe("");
}

function expectPresentableLines(lines: readonly string[]): void {
  expectNoLeak(lines);
  for (const line of lines) {
    expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    expect(line.isWellFormed()).toBe(true);
    expect(Buffer.byteLength(line)).toBeLessThan(2_000);
  }
}

describe("Whatever the service returns", () => {
  const location = `https://example.net/${tokens.path}?${tokens.query}`;
  const answerOf = (code: number, body: unknown, ...headers: readonly string[]) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const head = [`HTTP/1.1 ${code} ${tokens.body}`, `location: ${location}`, ...headers];
    return [...head, "", text].join("\r\n");
  };
  const statuses = [200, 301, 401, 404, 409, 429, 500, 503];
  const examples = [
    errorBody(echo, "No."),
    errorBody("BAD_REQUEST", " .".repeat(90) + echo),
    `${echo} ${tokens.body}`,
    { ...(errorBody("X", "Y") as object), extra: [echo, tokens.body] },
    { error: { code: "X", message: "Y", details: tokens.body } },
    // Nearly 1 MiB that takes long, or is too deep, for a careless reader.
    "[".repeat(900_000),
    '{"a":'.repeat(200_000),
    `{"id":${"9".repeat(1_000_000)},"secret":"s"}`,
    `{"error":{"code":"X","message":"${"https://".repeat(120_000)}"}}`,
  ].flatMap((body) => [answerOf(200, body), answerOf(400, body)]);
  examples.push(
    ...statuses.map((code) => answerOf(code, errorBody("BAD_REQUEST", echo))),
    answerOf(200, '{"id":17,"secret":"kB7wQz-another-secret-Xn4"}'),
    // What is not HTTP.
    `${echo}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\n${apiKey}\r\n\r\n`,
  );

  const text = fc.string({ unit: "binary", maxLength: 300 });
  const spelled = fc.constantFrom(
    ...[echo, echo.toUpperCase(), echo.slice(9, -9)],
    // A creation knows no secret but that of its answer, and any other only by its first letters.
    Buffer.from(echo.replace(secret, "")).toString("base64"),
  );
  const field = fc.oneof(
    fc.constantFrom('"text"', "17", "0", "1e999", "-1", "true", "null", '"NOT_FOUND"'),
    fc.constantFrom('"\\ud800"', '"\\u0000\\r\\n\\u2028"'),
    fc.json({ stringUnit: "binary" }),
    fc.tuple(text, spelled, text).map((parts) => JSON.stringify(parts.join(""))),
  );
  const shape = fc.constantFrom<(a: string, b: string) => string>(
    (id, value) => `{"id":${id},"secret":${value}}`,
    (id, value) => `{"__proto__":{"id":${id},"secret":${value}},"id":${id}}`,
    (code, message) => `{"error":{"code":${code},"message":${message}}}`,
    (success) => `{"success":${success}}`,
  );
  const body = fc.tuple(shape, field, field).map(([make, one, other]) => make(one, other));
  const status = fc.oneof(fc.constantFrom(...statuses), fc.integer({ min: 100, max: 999 }));
  const header = fc.oneof(
    fc.constantFrom("retry-after: 9e9", "content-length: 3", "link: <"),
    fc.string({ unit: "binary-ascii" }),
  );
  const answers = fc.oneof(
    fc.tuple(status, body).map((parts) => answerOf(...parts)),
    fc.tuple(status, body, header, header).map((parts) => answerOf(...parts)),
    fc.string({ unit: "binary" }),
  );

  /** Plays an operation with many answers; `check` gets each answer and how the operation ended. */
  async function forAnyAnswer(
    method: "create" | "delete" | "read",
    check: (answer: string, end: unknown) => void,
  ): Promise<void> {
    let answer = "";
    await using server = await startRawServer((socket) => socket.end(answer));

    await fc.assert(
      fc.asyncProperty(answers, async (given) => {
        answer = given;
        const operations = operationsAt(server.url, { listing: "true" });
        const errors: Error[] = [];

        const end = await operations[method]().catch((error) => {
          errors.push(error);
          return kindOf(error);
        });

        errors.forEach(expectPresentableError);
        expectPresentableLines(operations.lines);
        expect(Object.keys(Object.prototype)).toEqual([]);
        check(given, end);
      }),
      { numRuns: 70, examples: examples.map((example) => [example]) },
    );
  }

  it("a creation has the id and the secret of the response, or fails and shows no sensitive value", () =>
    forAnyAnswer("create", (answer, end) => {
      const { id, secret: value } = Object(parseJson(answer.split("\r\n\r\n")[1] ?? ""));
      const created = {
        id: String(id),
        properties: expect.objectContaining({ secret: { ...secretMark, value } }),
      };

      expect(["notCreated", "inDoubt", "undone", "partial", created]).toContainEqual(end);
    }));

  it("a deletion succeeds, or fails and shows no sensitive value", () =>
    forAnyAnswer("delete", (_answer, end) => {
      expect(["notDeleted", undefined]).toContain(end);
    }));

  it("a refresh succeeds, and shows no sensitive value", () =>
    forAnyAnswer("read", (_answer, end) => {
      expect(end).not.toBeTypeOf("string");
    }));
});

describe("An error", () => {
  it("does not show the password of the proxy", async () => {
    const proxy = (await refusedUrl()).replace("//", `//${tokens.user}:${tokens.password}@`);
    vi.stubEnv("HTTPS_PROXY", proxy);
    vi.stubEnv("NO_PROXY", "");

    const error = await errorOf(operationsAt("https://tables.example.test").create());

    expect(kindOf(error)).toBe("notCreated");
    expectPresentableError(error);
  });

  // The secret is another than that of the state: only the answer to the creation had it.
  const other = "kB7wQz-another-secret-Xn4";
  const echoed = { error: { code: "ODD", message: `It is ${other} of ${url}` } };

  const long = errorBody("ODD", `Too\nmany. ${"Z".repeat(500)}`);
  const stuck = [{ body: { id: 17 } }, { statusCode: 400, body: echoed }];

  it.each<[string, readonly StubResponse[], string]>([
    [
      "it repeats a secret that came without an id",
      [{ body: { secret: other, ...echoed } }],
      'ODD "[withheld:',
    ],
    ["it repeats the url of a webhook that was not deleted", stuck, 'ODD "[withheld:'],
    ["it is long", [{ statusCode: 400, body: long }], `ODD "Too many. ${"Z".repeat(189)}…"`],
  ])("withholds or cuts the service's own message: %s", async (_case, given, shown) => {
    await using server = await startServer(...given);

    const error = await errorOf(operationsAt(server.url).create());

    expect(error.message).toContain(shown);
    expectPresentableError(error);
  });

  it("shows no key that the host of a redirect holds", async () => {
    const location = `https://${apiKey.replaceAll("_", ".")}.example.com/`;
    await using server = await startServer({ statusCode: 301, headers: { location } });

    const { message } = await errorOf(operationsAt(server.url).create());

    expect(message).toContain("It redirects to [withheld:");
    expect(message).not.toContain("example.com");
  });

  it("shows no secret that Pulumi passes wrapped, or that is to be adopted", async () => {
    await using server = await startServer({ statusCode: 400, body: errorBody("ODD", other) });
    const state = someState({ baseUrl: server.url, secret: { ...secretMark, value: other } });
    const run = startProvider({ baseUrl: server.url, listing: "true" });

    await run.read("17", state);
    const { message } = await errorOf(run.create(someArgs({ adopt: { id: 17, secret: other } })));

    expect(run.lines[0]).toContain('ODD "[withheld:');
    expect(message).toContain('ODD "[withheld:');
  });

  it.each<[string, unknown]>([
    ["an error", Object.assign(new Error(`broken: ${echo}`, { cause: echo }), { details: echo })],
    ["null", null],
    ["a long one with a lone surrogate", new Error(`\ud800${"x".repeat(100_000)}`)],
  ])("that the code does not expect is shown without its content: %s", async (_case, value) => {
    const { engine, notify } = someProvider();
    const get = () => {
      throw value;
    };
    const broken = new WebhookProvider({ get, isExplicit: () => false, environment: {} }, engine);
    const inputs = someArgs({ url, adopt: { id: 1, secret } });

    const error = await errorOf(broken.create(inputs, { notify }));

    // The key is not known where the settings cannot be read; its shape is.
    expectPresentableError(error);
    expect({ ...error }).toEqual({ name: "WebhookError", kind: "fault" });
  });

  it("is one line that ends with its kind, and keeps the stored values in fields", () => {
    const { message } = new WebhookError("notDeleted", `a\nb\ud800${"c".repeat(100_000)}`);
    const partial = new PartialCreationError("17", { url }, "because");
    const reasons = ["because [partial]"];

    expect(message).toMatch(/^a b\ufffdc+… \[notDeleted\]$/);
    expect(message).toHaveLength(1_900);
    expect(partial).toMatchObject({ id: "17", properties: { url }, reasons });
    expect(partial.storedAs("b/17", {})).toMatchObject({
      ...{ id: "b/17", properties: {}, message: reasons[0], kind: "partial", reasons },
    });
  });
});
