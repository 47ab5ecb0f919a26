import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { parseJson } from "../../../src/common/json.ts";
import { withheldText } from "../../../src/common/redaction.ts";
import { EngineMonitor } from "../../../src/provider/command/engine-monitor.ts";
import { WebhookError } from "../../../src/provider/command/errors.ts";
import { parseStateEntry } from "../../../src/provider/rules/state.ts";
import { WebhookProvider } from "../../../src/provider/webhook-provider.ts";
import {
  apiKey,
  errorBody,
  nestedBody,
  secret,
  someArgs,
  someState,
  wrapped,
} from "../../helpers/builders.ts";
import { errorOf } from "../../helpers/errors.ts";
import { expectNoPrototypePollution, expectPrintable } from "../../helpers/expectations.ts";
import { refusedAddress, type StubResponse, startRawServer } from "../../helpers/http-server.ts";
import { echo, expectNoLeak, tokens, url } from "../../helpers/leaks.ts";
import { startProvider } from "../../helpers/provider.ts";
import { startWithService } from "../../helpers/provider-with-service.ts";
import { endedWith, notConnected, stubTransport } from "../../helpers/transport.ts";

/** Another secret than that of {@link someState}. */
const otherSecret = "kB7wQz-another-secret-Xn4";

/** Returns everything that Pulumi, a log or a debugger could show of an error. */
function textsOf(error: Error): string[] {
  return [
    String(error),
    `${error.message}\n${error.stack}`,
    JSON.stringify(Object.getOwnPropertyDescriptors(error)),
    inspect(error, { showHidden: true, depth: null, maxStringLength: null }),
  ];
}

function expectSafeError(error: Error): void {
  expect(error).toBeInstanceOf(WebhookError);
  expectNoLeak(textsOf(error));
  expectSafeLines([error.message]);
  expect(error).not.toHaveProperty("cause");
  // Pulumi prints the stack of some errors.
  expect(error.stack).toBe("");
}

function expectSafeLines(lines: readonly string[]): void {
  expectNoLeak(lines);
  lines.forEach(expectPrintable);
}

describe("After any response of the service", () => {
  const httpText = (statusCode: number, body: unknown, ...headers: readonly string[]) => {
    const statusLine = `HTTP/1.1 ${statusCode} ${tokens.body}`;
    const location = `location: https://example.net/${tokens.path}?${tokens.query}`;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return [statusLine, location, ...headers, "", text].join("\r\n");
  };
  const statusCodes = [200, 301, 401, 404, 409, 429, 500, 503];
  const exampleBodies = [
    // A cut to 200 characters would leave too little of the key for redaction, which has to come
    // first.
    errorBody("BAD_REQUEST", " .".repeat(80) + echo),
    `${echo} ${tokens.body}`,
    { ...(errorBody(echo, "No.") as object), extra: [echo, tokens.body] },
    { error: { code: "X", message: "Y", details: tokens.body } },
    // Inputs that make a careless parser slow, or overflow its stack.
    "[".repeat(100_000),
    '{"a":'.repeat(20_000),
    nestedBody,
    `{"id":${"9".repeat(100_000)},"secret":"s"}`,
    errorBody("X", "https://".repeat(12_000)),
  ];
  const examples = [
    ...exampleBodies.flatMap((body) => [httpText(200, body), httpText(400, body)]),
    ...statusCodes.map((statusCode) => httpText(statusCode, errorBody("BAD_REQUEST", echo))),
    httpText(200, { id: 17, secret: otherSecret }),
    httpText(200, { success: true }),
    // Not HTTP.
    `${echo}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\n${apiKey}\r\n\r\n`,
  ];

  const anyText = fc.string({ unit: "binary", maxLength: 300 });
  const anyEcho = fc.constantFrom(echo, echo.toUpperCase(), echo.slice(9, -9));
  const anyField = fc.oneof(
    fc.constantFrom('"text"', "17", "0", "1e999", "-1", "true", "null", '"NOT_FOUND"'),
    fc.constantFrom('"\\ud800"', '"\\u0000\\r\\n\\u2028"'),
    fc.json({ stringUnit: "binary" }),
    fc.tuple(anyText, anyEcho, anyText).map((parts) => JSON.stringify(parts.join(""))),
  );
  const anyBody = fc
    .tuple(anyField, anyField)
    .chain(([first, second]) =>
      fc.constantFrom(
        `{"id":${first},"secret":${second}}`,
        `{"__proto__":{"id":${first},"secret":${second}},"id":${first}}`,
        `{"error":{"code":${first},"message":${second}}}`,
        `{"success":${first}}`,
      ),
    );
  const anyStatus = fc.oneof(fc.constantFrom(...statusCodes), fc.integer({ min: 100, max: 999 }));
  const anyHeader = fc.constantFrom("retry-after: 9e9", "content-length: 3", "link: <", "x: y");
  const anyResponse = fc.oneof(
    fc.tuple(anyStatus, anyBody, anyHeader).map((parts) => httpText(...parts)),
    fc.string({ unit: "binary" }),
  );

  /**
   * Runs an operation with many responses. `check` gets each of them and the result, or the error's
   * kind.
   */
  async function forAnyResponse(
    operation: "create" | "delete" | "read",
    check: (response: string, outcome: unknown) => void,
  ): Promise<void> {
    let response = "";
    await using server = await startRawServer((socket) => socket.end(response));

    await fc.assert(
      fc.asyncProperty(anyResponse, async (given) => {
        response = given;
        const { url: baseUrl } = server;
        const provider = startProvider({ baseUrl, retrySeconds: "0", listing: "true" });
        const state = someState({ url, baseUrl });
        const run = {
          create: () => provider.create(someArgs({ url })),
          delete: () => provider.delete("17", state),
          read: () => provider.read("17", state),
        };

        const outcome = await run[operation]().catch((error) => {
          expectSafeError(error);
          return error.kind;
        });

        expectSafeLines(provider.lines);
        expectNoPrototypePollution();
        check(response, outcome);
      }),
      { numRuns: examples.length + 30, examples: examples.map((example) => [example]) },
    );
  }

  it("a creation has the id and the secret of the response, or fails and shows no sensitive value", () =>
    forAnyResponse("create", (response, outcome) => {
      const [, body = ""] = response.split("\r\n\r\n");
      const { id, secret: newSecret } = Object(parseJson(body));
      const outs = expect.objectContaining({ secret: wrapped(newSecret) });
      // Evaluated only on success: String(id) throws for some objects that a response can hold.
      const created = { id: expect.toSatisfy((stored) => stored === String(id)), outs };

      expect(["notCreated", "inDoubt", "undone", "leftBehind", created]).toContainEqual(outcome);
    }));

  it("a deletion succeeds, or fails and shows no sensitive value", () =>
    forAnyResponse("delete", (_response, outcome) => {
      expect(["notDeleted", undefined]).toContain(outcome);
    }));

  it("a refresh succeeds, and shows no sensitive value", () =>
    forAnyResponse("read", (_response, outcome) => {
      // A string would be the kind of an error.
      expect(outcome).not.toBeTypeOf("string");
    }));
});

const listing = { listing: "true" };
const refusalWith = (message: string) => ({ statusCode: 400, body: errorBody("ODD", message) });

it.each([
  { value: "secret", stored: { secret: otherSecret }, repeated: otherSecret },
  { value: "url", stored: { url }, repeated: tokens.path },
])("A warning of a refresh withholds the $value in the state", async (row) => {
  const { read, state, lines } = await startWithService(refusalWith(row.repeated), listing);

  await read("17", { ...state, ...row.stored });

  expect(lines).toEqual([expect.stringContaining(`ODD "${withheldText}`)]);
});

describe("An error", () => {
  it.each([
    { proxy: "a proxy that refuses connections", scheme: "http://", cause: "ECONNREFUSED" },
    { proxy: "a proxy whose URL has no scheme", scheme: "", cause: "HTTPS_PROXY" },
  ])("does not show the password of $proxy", async ({ scheme, cause }) => {
    const userInfo = `${tokens.user}:${tokens.password}`;
    vi.stubEnv("https_proxy", `${scheme}${userInfo}@${refusedAddress}`);
    vi.stubEnv("no_proxy", "");
    const { create } = startProvider({ baseUrl: "https://tables.example.test", retrySeconds: "0" });

    const error = await errorOf(create(someArgs()));

    expect(error).toMatchObject({ kind: "notCreated", message: expect.stringContaining(cause) });
    expectSafeError(error);
  });

  it("shows the code of a failed connection where it withholds the text", async () => {
    const text = "getaddrinfo ENOTFOUND tables.acme7corp.invalid";
    const outcome = { ...notConnected("ENOTFOUND"), text } as const;
    const transport = stubTransport(async () => endedWith(outcome));
    const { create } = startProvider({}, { transport });

    const { message } = await errorOf(
      create(someArgs({ url: "https://hooks.acme7corp.invalid/x" })),
    );

    expect(message).toContain(`(ENOTFOUND: ${withheldText})`);
  });

  const bodyWithoutId = { secret: otherSecret, error: { code: "ODD", message: otherSecret } };
  const bodyWithSecretAsCode = {
    secret: otherSecret,
    error: { code: otherSecret, message: "No." },
  };
  // A host name has no underscores, so the key has dots there.
  const redirect = { location: `https://${apiKey.replaceAll("_", ".")}.example.com/` };

  it.each<[string, StubResponse[]]>([
    ["the secret of a creation without an id", [{ body: bodyWithoutId }]],
    ["the secret in the code of an error", [{ statusCode: 400, body: bodyWithSecretAsCode }]],
    ["the secret in the message of an error", [{ statusCode: 400, body: bodyWithoutId }]],
    ["the key in a message without an error envelope", [{ body: { message: apiKey } }]],
    ["the key in the host of a redirect", [{ statusCode: 301, headers: redirect }]],
  ])("withholds %s", async (_case, responses) => {
    const { create } = await startWithService(responses);

    const error = await errorOf(create(someArgs({ url })));

    expect(error.message).toContain(withheldText);
    expect(error.message).not.toContain(otherSecret);
    expectSafeError(error);
  });

  it("shows a long message of the service in one line, cut to 200 characters", async () => {
    const refusal = refusalWith(`Too\nmany. ${"Z".repeat(500)}`);
    const { create } = await startWithService(refusal);

    const { message } = await errorOf(create(someArgs()));

    expect(message).toContain(`ODD "Too many. ${"Z".repeat(200 - "Too many. …".length)}…"`);
  });

  it.each<[string, unknown]>([
    ["an error", Object.assign(new Error(`broken: ${echo}`, { cause: echo }), { details: echo })],
    ["an error with a part of the url", new Error(tokens.path)],
    ["null", null],
    ["a long error with a lone surrogate", new Error(`\ud800${"x".repeat(100_000)}`)],
  ])("is of the kind fault, and safe, after an exception: %s", async (_case, thrown) => {
    const notify = () => undefined;
    // The settings cannot be read, so the provider recognizes the key only after "Bearer".
    const get = () => {
      throw thrown;
    };
    const description = JSON.stringify({ 17: { ...someArgs({ url }), secret } });
    const source = { get, isExplicit: () => false, environment: {} };
    const provider = new WebhookProvider(source, new EngineMonitor(undefined, notify));
    const inputs = someArgs({ url, secret });
    const stored = parseStateEntry("17", someState(inputs));

    const errors = await Promise.all([
      errorOf(provider.check({ news: inputs }, { notify })),
      errorOf(provider.diff({ ...stored, news: inputs }, { notify })),
      errorOf(provider.create({ inputs }, { notify })),
      errorOf(provider.read(stored, { notify })),
      errorOf(provider.import({ id: "17", description }, { notify })),
      errorOf(provider.delete(stored, { notify })),
    ]);

    errors.forEach(expectSafeError);
    const fault = { name: "WebhookError", kind: "fault" };
    expect(errors.map((error) => ({ ...error }))).toEqual(Array(6).fill(fault));
  });

  it("is one line of at most 1,900 characters that ends with its kind, also as a string", () => {
    const error = new WebhookError("notDeleted", `a\nb\ud800${"c".repeat(100_000)}`);

    expect(error.message).toMatch(/^a b\ufffdc+… \[notDeleted\]$/);
    expect(error.message).toHaveLength(1_900);
    expect(String(error)).toBe(error.message);
  });
});
