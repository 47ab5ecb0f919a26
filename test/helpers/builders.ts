import type { Settings } from "../../src/core/config.ts";
import { Engine } from "../../src/core/engine.ts";
import { Ledger } from "../../src/core/ledger.ts";
import { type Context, Operation } from "../../src/core/operation.ts";
import type { Answer } from "./http-server.js";

/** The key of every account in the tests. */
export const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
/** The secret that the service gives in the tests. */
export const secret = "whsec_5tGq8LrN3cVbYx0KdJfHs2Mu";
/** The text that Pulumi keeps with every dynamic resource. */
export const providerText = "the text of the provider";

/** Stand-ins of Pulumi for values that it does not know yet. */
export const unknownMarkers = {
  string: "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  boolean: "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  number: "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  array: "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  object: "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
};

/** What Pulumi marks a secret by. */
export const secretMark = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
};

/** How a secret looks in what a provider returns. */
export const secretEnvelope = { ...secretMark, value: secret };

type Properties = Record<string, unknown>;

/** Arguments that are all right, as Pulumi hands them to the provider. */
export function someArgs(changes: Properties = {}): Properties {
  return {
    databaseId: "base_abc123",
    url: "https://example.com/hooks/orders",
    events: ["record.created", "record.updated"],
    ...changes,
  };
}

/** The state of a webhook with those arguments. */
export function someState(changes: Properties = {}): Properties {
  return {
    ...someArgs(),
    baseUrl: "https://tables.example.com",
    secret,
    __provider: providerText,
    ...changes,
  };
}

/** An entry of the service's list: webhook 17 as the state has it. */
export function listed(changes: object = {}): Properties {
  const { url, events } = someArgs();
  return { id: 17, url, events, tableIds: null, active: true, ...changes };
}

/** An answer with a list of webhooks. */
export function listOf(...webhooks: readonly object[]): Answer {
  return { body: { webhooks } };
}

/** Settings of an account, parsed. */
export function someSettings(changes: Partial<Settings> = {}): Settings {
  return {
    baseUrl: "https://tables.example.com",
    formerBaseUrls: [],
    otherBaseUrls: [],
    fromEnvironment: [],
    apiKey,
    timeoutSeconds: 30,
    retrySeconds: 120,
    listing: false,
    allowInsecureBaseUrl: false,
    ...changes,
  };
}

/** An operation that keeps `hidden` out of messages and collects its lines. */
export function someOperation(
  name = "Test webhook",
  { hidden = [], lines = [] }: { hidden?: readonly string[]; lines?: string[] } = {},
): Operation {
  return new Operation(
    name,
    (line) => void lines.push(line),
    () => hidden,
  );
}

/** What an operation that sends nothing works with; `isStopping` when Pulumi stops. */
export function someContext(
  operation: Operation,
  settings: Settings = someSettings(),
  isStopping = false,
): Context {
  const engine = new Engine(undefined, () => undefined);
  if (isStopping) {
    engine.cancel();
  }
  const sendRequest = () => Promise.reject(new Error("nothing is sent"));
  return {
    account: { settings, transport: { sendRequest } },
    ledger: new Ledger(),
    engine,
    operation,
  };
}

/** The body of an answer that reports an error. */
export function errorBody(code: string, message = "It did not work."): unknown {
  return { error: { code, message } };
}
