import { inspect } from "node:util";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PartialCreationError, WebhookError } from "../../src/core/errors.ts";
import { failureText } from "../../src/core/messages.ts";
import { WebhookProvider } from "../../src/core/provider.ts";
import {
  apiKey,
  errorBody,
  secret,
  someArgs,
  someContext,
  someOperation,
  someState,
} from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { type Answer, refusedUrl, startRawServer, startServer } from "../helpers/http-server.ts";
import { echo, expectNoLeak, sensitive, tokens, url } from "../helpers/leaks.ts";
import { someProvider } from "../helpers/provider.ts";
import { response, someRequest } from "../helpers/transport.ts";

afterEach(() => void vi.unstubAllEnvs());

const request = {
  create: "POST SERVER/api/v1/bases/base_abc123/webhooks",
  delete: "DELETE SERVER/api/v1/bases/base_abc123/webhooks/17",
  read: "GET SERVER/api/v1/bases/base_abc123/webhooks",
};

/** The error of an operation on a webhook whose url holds tokens, and the lines that were shown. */
async function failureOf(method: keyof typeof request, settings: Record<string, string>) {
  const { provider, notify, lines } = someProvider({ retrySeconds: "0", ...settings });
  const state = someState({ url, baseUrl: settings.baseUrl });
  const operation = {
    create: () => provider.create(someArgs({ url }), notify),
    delete: () => provider.delete("17", state, notify),
    // Nothing of a look-up is an error: its line is looked at like one.
    read: async () => {
      await provider.read("17", state, notify);
      throw new WebhookError("fault", lines.map(({ line }) => line).join("\n"));
    },
  };
  const error = await errorOf(operation[method]());
  return { error, texts: [...allTextsOf(error), ...lines.map(({ line }) => line)] };
}

/** All that Pulumi, a log or a debugger could show of an error. */
function allTextsOf(error: Error): string[] {
  return [
    String(error),
    `${error.message}\n${error.stack}`,
    JSON.stringify(Object.getOwnPropertyDescriptors(error)),
    inspect(error, { showHidden: true, depth: null, maxStringLength: null }),
  ];
}

function expectPresentable(error: Error, texts = allTextsOf(error)): void {
  expectNoLeak(texts);
  expect(error).toBeInstanceOf(WebhookError);
  expect([error.stack, error.message.match(/[\p{Cc}\p{Zl}\p{Zp}]/u)]).toEqual(["", null]);
  expect(error.message.isWellFormed()).toBe(true);
  expect(Buffer.byteLength(error.message)).toBeLessThan(2_000);
  expect(Object.keys(error).toSorted()).toEqual(["kind", "name"]);
  expect(error).not.toHaveProperty("cause");
}

const bodies: unknown[] = [
  errorBody("BAD_REQUEST", echo),
  errorBody(echo, "No."),
  errorBody("BAD_REQUEST", " .".repeat(90) + echo),
  errorBody("BAD_REQUEST", `${echo} `.repeat(3_000)),
  errorBody("\ud800\n", `\udc00\r\n${tokens.body.slice(0, 7)}\u2028`),
  `${echo} ${tokens.body}`,
  { ...(errorBody("X", "Y") as object), extra: [echo, tokens.body] },
  { error: { code: "X", message: { echo } } },
  { error: { code: "X", message: "Y", details: tokens.body } },
];
const location = `https://example.net/${tokens.path}?${tokens.query}`;
const answerOf = (statusCode: number, body = bodies[0]) =>
  `HTTP/1.1 ${statusCode} ${tokens.body}\r\nlocation: ${location}\r\n\r\n${JSON.stringify(body)}`;
const answers = [
  ...bodies.map((body) => answerOf(400, body)),
  ...[200, 301, 401, 404, 409, 429, 500, 503].map((statusCode) => answerOf(statusCode)),
  // What is not HTTP.
  `${echo}\r\n\r\n`,
  `HTTP/1.1 200 OK\r\n${apiKey}\r\n\r\n`,
];

describe("nothing sensitive is shown, whatever the service answers", () => {
  it.each(Object.keys(request) as (keyof typeof request)[])("to a %s", async (method) => {
    let answer = "";
    await using server = await startRawServer((socket) => socket.end(answer));

    for (answer of answers) {
      const { error, texts } = await failureOf(method, { baseUrl: server.url, listing: "true" });

      expectPresentable(error, texts);
      const [, outcome = ""] = /^HTTP\S+ (\d+) raw/.exec(answer) ?? [];
      expect(error.message).toContain(request[method].replace("SERVER", server.url));
      expect(error.message).toContain(outcome && ` answered ${outcome}`);
    }
  });
});

describe("an error", () => {
  it("shows nothing of the proxy's password", async () => {
    const proxy = (await refusedUrl()).replace("//", `//${tokens.user}:${tokens.password}@`);
    vi.stubEnv("HTTPS_PROXY", proxy);
    vi.stubEnv("NO_PROXY", "");

    const { error, texts } = await failureOf("create", { baseUrl: "https://tables.example.test" });

    expectPresentable(error, texts);
  });

  // The secret is another than that of the state: only the answer to the creation had it.
  const other = "kB7wQz-another-secret-Xn4";
  const echoed = { error: { code: "ODD", message: `It is ${other} of ${url}` } };

  it.each<[string, readonly Answer[]]>([
    ["that came without an id", [{ body: { secret: other, ...echoed } }]],
    ["that came as no text", [{ body: { id: 17 } }, { statusCode: 400, body: echoed }]],
  ])("shows nothing of a secret %s", async (_case, given) => {
    await using server = await startServer(...given);

    const { error } = await failureOf("create", { baseUrl: server.url });

    const { message, reasons = [] } = error as PartialCreationError;
    expect(message).toContain("ODD");
    const hidden = given.length === 1 ? [other, ...sensitive] : sensitive;
    expectNoLeak([message, String(error), ...reasons], hidden);
  });

  it("shows no secret that Pulumi hands over with its mark, or that is to be adopted", async () => {
    await using server = await startServer({ statusCode: 400, body: errorBody("ODD", other) });
    const mark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
    const state = someState({ baseUrl: server.url, secret: { ...mark, value: other } });
    const { provider, notify, lines } = someProvider({ baseUrl: server.url, listing: "true" });

    await provider.read("17", state, notify);
    const adopting = someArgs({ adopt: { id: 17, secret: other } });
    const { message } = await errorOf(provider.create(adopting, notify));

    expect(lines[0]?.line).toContain('ODD "[redacted]"');
    expect(message).toContain('ODD "[redacted]"');
  });

  it("shows 200 characters of what the service says, in one line", async () => {
    const body = errorBody("BAD", `Too\nmany. ${"Z".repeat(500)}`);
    await using server = await startServer({ statusCode: 400, body });

    const { error } = await failureOf("create", { baseUrl: server.url });

    expect(error.message).toContain(`400 BAD "Too many. ${"Z".repeat(189)}…"`);
  });

  it.each<[string, unknown]>([
    ["an error", new Error(`broken: ${echo}`)],
    ["an error with more", Object.assign(new Error("x", { cause: echo }), { details: echo })],
    ["null", null],
    ["a long one with a lone surrogate", new Error(`\ud800${"x".repeat(100_000)}`)],
  ])("that nobody expected is presented without what it carries: %s", async (_case, value) => {
    const { engine, notify } = someProvider();
    const get = () => {
      throw value;
    };
    const source = { get, isExplicit: () => false, environment: {} };
    const inputs = someArgs({ url, adopt: { id: 1, secret } });

    const error = await errorOf(new WebhookProvider(source, engine).create(inputs, notify));

    // The key is not known where the settings cannot be read; its shape is.
    expectPresentable(error);
    expect(error).toMatchObject({ kind: "fault" });
  });
});

describe("whatever names, service and status are", () => {
  const short = fc.string({ unit: "binary", minLength: 1, maxLength: 30 });
  const text = fc.oneof(short, fc.string({ unit: "binary", minLength: 1_000, maxLength: 4_000 }));
  const spelling = fc.constantFrom<(value: string) => string>(
    (value) => value,
    (value) => value.toUpperCase(),
    encodeURIComponent,
    (value) => Buffer.from(value).toString("base64"),
    (value) => value.slice(1, -1),
  );
  const given = [text, text, text, spelling, fc.integer({ min: 200, max: 599 })] as const;

  it("a message is complete and short, and holds nothing of a hidden value", () => {
    fc.assert(
      fc.property(...given, (database, before, after, spell, statusCode) => {
        const operation = someOperation(`Create webhook in ${database}`, { hidden: sensitive });
        const said = before + sensitive.map(spell).join(after) + after;
        const path = encodeURIComponent(database.toWellFormed());
        const failure = {
          request: { ...someRequest, url: new URL(path, someRequest.url) },
          outcome: response(statusCode, undefined, errorBody(said, said)),
          earlier: [],
          elapsedMs: 0,
        };

        const sentences = failureText(someContext(operation), failure, "Do it.");
        const { message } = new WebhookError("kept", sentences);

        expectNoLeak([message]);
        expect(message.length).toBeLessThan(1_900);
        expect(message.isWellFormed()).toBe(true);
        expect(message).toContain(`answered ${statusCode}`);
        expect(message).toMatch(/\. Do it\. \[kept\]$/);
      }),
      { numRuns: 50 },
    );
  });

  it("an error is one line that ends with its kind, and carries what is stored in its own fields", () => {
    const { message } = new WebhookError("kept", `a\nb\ud800${"c".repeat(100_000)}`);
    const partial = new PartialCreationError("17", { url }, "because");
    const reasons = ["because [partial]"];

    expect(message).toMatch(/^a b\ufffdc+… \[kept\]$/);
    expect(message).toHaveLength(1_900);
    expect(partial).toMatchObject({ id: "17", properties: { url }, reasons });
    expect(partial.storedAs("b/17", {})).toMatchObject({
      ...{ id: "b/17", properties: {}, message: reasons[0], kind: "partial", reasons },
    });
  });
});
