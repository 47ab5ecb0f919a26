import type { Settings } from "../../src/provider/rules/settings.ts";
import type { StubResponse } from "./http-server.ts";

export const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
export const secret = "s1gn-5tGq8LrN3cVbYx0KdJfHs2Mu";
/** The serialized provider that Pulumi stores with every dynamic resource. */
export const someProviderText = "the text of the provider";

/** The placeholders that Pulumi passes for values that are not known yet, by type. */
export const unknownMarkers = {
  string: "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  boolean: "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  number: "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  array: "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  object: "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
};

/** The property by which Pulumi recognizes a wrapped secret. */
export const secretSignature = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
};
export const wrapped = (value: unknown) => ({ ...secretSignature, value });

type Properties = Record<string, unknown>;

/** The arguments of a webhook, for tests that change one of them. */
export function someArgs(changes: object = {}) {
  return {
    databaseId: "base_abc123",
    url: "https://example.com/hooks/orders",
    events: ["record.created", "record.updated"],
    ...changes,
  };
}

export function someState(changes: Properties = {}): Properties {
  return {
    ...someArgs(),
    baseUrl: "https://tables.example.com",
    secret,
    __provider: someProviderText,
    ...changes,
  };
}

/** A body that is JSON, and on which a recursive function overflows its stack. */
export const nestedBody = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;

/** An error of the service in which every text is {@link nestedBody}. */
export const nestedError = `{"error":{"code":${nestedBody},"message":${nestedBody}}}`;

/** An entry of the service's list: webhook 17 as the state has it. */
export function listed(changes: object = {}): Properties {
  const { url, events } = someArgs();
  return { id: 17, url, events, tableIds: null, active: true, ...changes };
}

export function listOf(...webhooks: readonly object[]): StubResponse {
  return { body: { webhooks } };
}

export function someSettings(changes: Partial<Settings> = {}): Settings {
  return {
    baseUrl: "https://tables.example.com",
    isExplicit: false,
    namesFromEnvironment: [],
    timeoutSeconds: 30,
    retrySeconds: 120,
    listing: undefined,
    ...changes,
  };
}

export function errorBody(code: string, message = "It did not work."): unknown {
  return { error: { code, message } };
}
