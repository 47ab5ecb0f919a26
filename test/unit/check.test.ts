import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventTypes } from "../../src/common/event-types.ts";
import { check } from "../../src/dynamic/provider.ts";
import { providerText, someArgs, unknownMarkers } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { captureLines, configure } from "../helpers/provider.ts";

beforeEach(() => configure());

afterEach(() => {
  vi.unstubAllEnvs();
});

const reasonsOf = async (args: Record<string, unknown>): Promise<string[]> => {
  const { failures = [] } = await check({}, args);
  return failures.map(({ reason }) => reason);
};

const without = (name: string) => {
  const { [name]: _, ...rest } = someArgs();
  return rest;
};

describe("arguments that are all right", () => {
  it("pass as they are", async () => {
    const args = someArgs({ tableId: "tbl", allowUnknownEvents: false, allowInsecureUrl: true });

    const result = await check({}, args);

    expect(result).toStrictEqual({ inputs: args });
  });

  it("lose the provider's text", async () => {
    const result = await check({}, someArgs({ __provider: providerText }));

    expect(result).toStrictEqual({ inputs: someArgs() });
  });

  it.each([undefined, null])("lose optional arguments that are %s", async (absent) => {
    const args = someArgs({
      tableId: absent,
      allowUnknownEvents: absent,
      allowInsecureUrl: absent,
    });

    const result = await check({}, args);

    expect(result).toStrictEqual({ inputs: someArgs() });
  });

  it("lose the empty places of outputs", async () => {
    const result = await check({}, someArgs({ secret: undefined, baseUrl: null }));

    expect(result).toStrictEqual({ inputs: someArgs() });
  });

  it("have their events sorted, without duplicates", async () => {
    const events = ["table.created", "record.updated", "table.created", "field.deleted"];

    const { inputs } = await check({}, someArgs({ events }));

    expect(inputs.events).toEqual(["field.deleted", "record.updated", "table.created"]);
  });

  it("name any selection of the known events, in one spelling each", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...eventTypes), { minLength: 1 }),
        async (events) => {
          const { inputs, failures } = await check({}, someArgs({ events }));

          const expected = eventTypes.filter((type) => events.includes(type)).toSorted();
          expect(failures).toBeUndefined();
          expect(inputs.events).toEqual(expected);
        },
      ),
    );
  });

  it("are not changed in place", async () => {
    const args = Object.freeze(
      someArgs({ events: Object.freeze(["table.created", "field.created"]), tableId: null }),
    );

    await check({}, args);

    expect(args.events).toEqual(["table.created", "field.created"]);
  });

  it.each([
    "https://example.com",
    "https://user:password@example.com:8443/a?b=c#d",
    "HTTPS://EXAMPLE.COM/",
    "https://bücher.example/ä",
    "https://[2001:db8::1]/hook",
    "http://localhost:3000/hook",
    "http://app.localhost/hook",
    "http://127.0.0.1:3000",
    "http://127.99.1.2",
    "http://[::1]:3000/hook",
  ])("have a url such as %s", async (url) => {
    const { inputs, failures } = await check({}, someArgs({ url }));

    expect(failures).toBeUndefined();
    expect(inputs.url).toBe(url);
  });

  it("have an insecure url when that is allowed", async () => {
    const { failures } = await check(
      {},
      someArgs({ url: "http://example.com/hook", allowInsecureUrl: true }),
    );

    expect(failures).toBeUndefined();
  });

  it("have events of any name when that is allowed", async () => {
    const { failures } = await check(
      {},
      someArgs({ events: ["view.created"], allowUnknownEvents: true }),
    );

    expect(failures).toBeUndefined();
  });

  it.each(["base_1", "6f0c", "a/b c", "ä?#%", "...", "0"])(
    "have a database %j",
    async (databaseId) => {
      const { failures } = await check({}, someArgs({ databaseId, tableId: databaseId }));

      expect(failures).toBeUndefined();
    },
  );
});

describe("values that Pulumi does not know yet", () => {
  const markers = Object.values(unknownMarkers);
  const names = [
    "databaseId",
    "url",
    "events",
    "tableId",
    "allowUnknownEvents",
    "allowInsecureUrl",
  ];
  const cases = names.flatMap((name) => markers.map((marker): [string, string] => [name, marker]));

  it.each(cases)("pass untouched as %s: %s", async (name, marker) => {
    const args = someArgs({ [name]: marker });

    const result = await check({}, args);

    expect(result).toStrictEqual({ inputs: args });
  });

  it.each(markers)("pass untouched among the events: %s", async (marker) => {
    const args = someArgs({ events: ["table.created", marker, "record.created", "table.created"] });

    const result = await check({}, args);

    expect(result).toStrictEqual({ inputs: args });
  });

  it("do not hide what is wrong beside them", async () => {
    const args = someArgs({ url: unknownMarkers.string, events: [unknownMarkers.string, "nope"] });

    const reasons = await reasonsOf(args);

    expect(reasons).toEqual([expect.stringMatching(/^events\[1\]: /)]);
  });

  it("are not echoed in a failure", async () => {
    const args = someArgs({ databaseId: unknownMarkers.string, tabelId: unknownMarkers.string });

    const result = await check({}, args);

    expect(JSON.stringify(result.failures)).not.toContain(unknownMarkers.string);
    expect(result.failures).toHaveLength(1);
  });

  it("allow what they may turn out to allow", async () => {
    const reasons = await reasonsOf(
      someArgs({
        url: "http://example.com",
        events: ["view.created"],
        allowUnknownEvents: unknownMarkers.string,
        allowInsecureUrl: unknownMarkers.boolean,
      }),
    );

    expect(reasons).toEqual([]);
  });
});

describe("a failure", () => {
  const identifierText = (name: string, what: string, example: string) =>
    `${name}: must be the identifier of ${what}, such as "${example}", without white space at its ends`;
  const databaseText = identifierText("databaseId", "the database", "base_abc123");
  const tableText = identifierText("tableId", "one table", "tbl_orders");
  const urlText =
    'url: must be an absolute URL, such as "https://example.com/hooks", without white space';
  const insecureText =
    "url: must begin with https:// (http:// only for a loopback host). To send notifications unencrypted all the same, set allowInsecureUrl: true";

  it.each([
    undefined,
    null,
    "",
    ".",
    "..",
    7,
    true,
    {},
    [],
    "\ud800",
    ["base_1"],
    " base_1",
    "base_1\n",
    "base\u00001",
    "\u00a0",
  ])("says that databaseId cannot be %j", async (databaseId) => {
    const reasons = await reasonsOf(someArgs({ databaseId }));

    expect(reasons).toEqual([databaseText]);
  });

  it.each(["", ".", "..", 7, false, {}, "\udc00", "tbl_1 ", "\t"])(
    "says that tableId cannot be %j",
    async (tableId) => {
      const reasons = await reasonsOf(someArgs({ tableId }));

      expect(reasons).toEqual([tableText]);
    },
  );

  it.each([
    "",
    "example.com/hooks",
    "//example.com/hooks",
    "/hooks",
    "https:",
    "https://",
    "https:example.com",
    "https:/example.com",
    "https:///example.com",
    "https:\\\\example.com",
    "https://exa mple.com",
    " https://example.com",
    "https://example.com/a\nb",
    "https://example.com/a\u0000b",
    "https://example.com/\ud800",
    "ftp://example.com",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "mailto:a@example.com",
    "https://example.com\\@else.example",
  ])("says that url cannot be %j", async (url) => {
    const reasons = await reasonsOf(someArgs({ url }));

    expect(reasons).toEqual([urlText]);
  });

  it.each(["https://example.com:99999", "https://exa<mple.com"])(
    "says that the host or the port of %j cannot exist",
    async (url) => {
      const reasons = await reasonsOf(someArgs({ url }));

      expect(reasons).toEqual([
        'url: must have a host name and a port that can exist, such as "https://example.com/hooks"',
      ]);
    },
  );

  it.each([undefined, null, 7, {}, ["https://example.com"]])(
    "says that url must be a URL, not %j",
    async (url) => {
      const reasons = await reasonsOf(someArgs({ url }));

      expect(reasons).toEqual([
        'url: must be the URL of the receiver, such as "https://example.com/hooks"',
      ]);
    },
  );

  it.each([
    "http://example.com",
    "HTTP://example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "http://10.0.0.1",
    "http://[::ffff:127.0.0.1]",
    "http://notlocalhost",
    "http://localhost@example.com",
  ])("says that url is insecure: %s", async (url) => {
    const reasons = await reasonsOf(someArgs({ url, allowInsecureUrl: false }));

    expect(reasons).toEqual([insecureText]);
  });

  it.each([undefined, null, "record.created", {}, 7, true])(
    "says that events must be a list, not %j",
    async (events) => {
      const reasons = await reasonsOf(someArgs({ events }));

      expect(reasons).toEqual(['events: must be a list of events, such as ["record.created"]']);
    },
  );

  it("says that events cannot be empty", async () => {
    const reasons = await reasonsOf(someArgs({ events: [] }));

    expect(reasons).toEqual(['events: must name at least one event, such as ["record.created"]']);
  });

  it.each([null, 7, {}, ["record.created"]])("says that an event cannot be %j", async (event) => {
    const reasons = await reasonsOf(someArgs({ events: ["record.created", event] }));

    expect(reasons).toEqual(['events[1]: must be a string, such as "record.created"']);
  });

  it.each(["", "\ud800"])("says that no event has the name %j", async (event) => {
    const reasons = await reasonsOf(someArgs({ events: [event], allowUnknownEvents: true }));

    expect(reasons).toEqual(['events[0]: must be the name of an event, such as "record.created"']);
  });

  it.each([
    ["record.create", "record.created"],
    ["Record.Created", "record.created"],
    ["tables.updated", "table.updated"],
    ["field_deleted", "field.deleted"],
  ])("names the nearest known event: %s", async (event, nearest) => {
    const reasons = await reasonsOf(someArgs({ events: [event] }));

    expect(reasons).toEqual([
      `events[0]: is not a known event; the nearest is "${nearest}". To subscribe to it all the same, set allowUnknownEvents: true`,
    ]);
  });

  it.each(["allowUnknownEvents", "allowInsecureUrl"])("says that %s is no text", async (name) => {
    const reasons = await reasonsOf(someArgs({ [name]: "true" }));

    expect(reasons).toEqual([`${name}: must be true or false, without quotes`]);
  });

  it.each([
    ["databaseID", "databaseId"],
    ["databseId", "databaseId"],
    ["uri", "url"],
    ["event", "events"],
    ["table", "tableId"],
    ["allowUnknownEvent", "allowUnknownEvents"],
    ["allowInsecureURL", "allowInsecureUrl"],
  ])("names the nearest argument: %s", async (name, nearest) => {
    const reasons = await reasonsOf(someArgs({ [name]: "x" }));

    expect(reasons).toEqual([`${name}: is not known; did you mean ${nearest}?`]);
  });

  it.each(["secret", "baseUrl", "active", "description"])(
    "refuses the argument %s",
    async (name) => {
      const reasons = await reasonsOf(someArgs({ [name]: "x" }));

      expect(reasons).toEqual([expect.stringMatching(`^${name}: `)]);
    },
  );

  it("stays readable when a name is very long", async () => {
    const reasons = await reasonsOf(someArgs({ ["n".repeat(5_000)]: 1 }));

    expect(reasons).toEqual([
      `${"n".repeat(100)}: is not known; there are databaseId, url, events, tableId, allowUnknownEvents, allowInsecureUrl, adopt`,
    ]);
  });

  it("comes for every problem at once", async () => {
    const args = {
      ...without("url"),
      databaseId: "",
      tableId: 7,
      events: ["nope", 7],
      allowInsecureUrl: "yes",
      evnts: [],
      secret: "s",
    };

    const reasons = await reasonsOf(args);

    expect(reasons.map((reason) => reason.split(":")[0]).toSorted()).toEqual([
      "allowInsecureUrl",
      "databaseId",
      "events[0]",
      "events[1]",
      "evnts",
      "secret",
      "tableId",
      "url",
    ]);
  });

  it("comes for problems of the configuration together with those of the arguments", async () => {
    await configure({ baseUrl: undefined, apiKey: undefined, timeoutSeconds: "soon" });

    const reasons = await reasonsOf(someArgs({ url: "nowhere" }));

    expect(reasons.map((reason) => reason.split(": ")[0])).toEqual([
      "dbwebhooks:baseUrl",
      "dbwebhooks:apiKey",
      "dbwebhooks:timeoutSeconds",
      "url",
    ]);
  });

  it("comes for problems of the configuration alone", async () => {
    await configure({ baseUrl: "http://example.com" });

    const reasons = await reasonsOf(someArgs());

    expect(reasons).toEqual([expect.stringMatching(/^dbwebhooks:baseUrl: /)]);
  });

  it("comes in a number that can be read, those of the configuration first", async () => {
    await configure({ apiKey: undefined });

    const reasons = await reasonsOf(
      someArgs({ events: Array.from({ length: 5_000 }, () => "no") }),
    );

    expect(reasons).toHaveLength(21);
    expect(reasons[0]).toMatch(/^dbwebhooks:apiKey: /);
    expect(reasons.at(-1)).toBe("more: there are 4981 further problems like these");
  });

  it("leaves the inputs in the result", async () => {
    const { inputs } = await check({}, someArgs({ url: "nowhere", tableId: undefined }));

    expect(inputs).toStrictEqual(someArgs({ url: "nowhere" }));
  });
});

describe("a hint about the events of tables", () => {
  const args = someArgs({ tableId: "tbl_1", events: ["table.deleted", "table.created"] });

  it("comes when a webhook of one table that is not there yet selects no others", async () => {
    const { lines } = await captureLines(() => check({}, args));

    expect(lines).toEqual([
      "A webhook of table tbl_1 selects only table.created, table.deleted: it receives these events for this one table. Leave tableId out to receive them for all tables.\n",
    ]);
  });

  it.each<[string, object, object]>([
    ["the webhook exists", args, args],
    ["it selects others too", {}, { ...args, events: ["table.created", "record.created"] }],
    ["it is of all tables", {}, { ...args, tableId: undefined }],
  ])("does not come when %s", async (_case, olds, news) => {
    const { lines } = await captureLines(() => check({ ...olds }, { ...news }));

    expect(lines).toEqual([]);
  });
});

describe("every failure", () => {
  const names = [
    "databaseId",
    "url",
    "events",
    "tableId",
    "allowUnknownEvents",
    "allowInsecureUrl",
  ];
  const anything = fc.dictionary(
    fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 150 })),
    fc.jsonValue(),
  );

  it("has no property and the form <path>: <text>, on one line, well-formed", async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (args) => {
        const { failures = [] } = await check({}, args);

        for (const { property, reason } of failures) {
          expect(property).toBe("");
          expect(reason).toMatch(/^.*: .{10,}$/u);
          expect(reason.isWellFormed()).toBe(true);
          expect(reason.length).toBeLessThanOrEqual(500);
        }
      }),
    );
  });

  it("repeats no value", async () => {
    const value = fc
      .string({ unit: fc.constantFrom(..."0123456789QXZ#~^"), minLength: 4, maxLength: 400 })
      .filter((text) => !"3600".includes(text));
    const valued = fc.constantFrom<(text: string) => unknown>(
      (text) => text,
      (text) => [text],
      (text) => ({ [text]: text }),
      (text) => `http://${text}`,
      (text) => `https://user:${text}@ x`,
      (text) => [[text], { text }],
    );

    await fc.assert(
      fc.asyncProperty(
        value,
        fc.array(fc.tuple(fc.constantFrom(...names, "unknown", "baseUrl"), valued)),
        fc.boolean(),
        async (text, properties, isConfig) => {
          await configure(
            isConfig ? { baseUrl: text, apiKey: `${text} `, retrySeconds: text } : {},
          );

          const { failures } = await check(
            {},
            Object.fromEntries(properties.map(([name, make]) => [name, make(text)])),
          );

          expect(JSON.stringify(failures)).not.toContain(text);
        },
      ),
    );
  });
});

describe("an exception within check", () => {
  it("is presented without its stack and without what is sensitive", async () => {
    const args = {
      url: "https://example.com/hooks/T0K3N-of-the-receiver",
      get events(): unknown {
        throw new Error("cannot read T0K3N-of-the-receiver");
      },
    };

    const error = await errorOf(check({}, args));

    expect(error.message).toContain("cannot read [redacted]");
    expect(error.stack).toBe("");
  });
});
