// The values that Pulumi passes: plain, not known yet, or in the envelope of a secret.
import { isJsonObject, parseJson } from "../../common/json.js";
import { isPlainText } from "../../common/plain-text.js";

/** The arguments or the state of a resource, as Pulumi passes them. */
export type Properties = Readonly<Record<string, unknown>>;

/**
 * The placeholders that Pulumi sends in place of a value that is not known yet: for a string, a
 * boolean, a number, an array and an object. Source: `sdk/nodejs/runtime/rpc.ts` in pulumi/pulumi.
 */
const unknownMarkers = new Set<unknown>([
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** The envelope of a secret. Source: `specialSigKey` in `sdk/nodejs/runtime/rpc.ts`. */
const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/**
 * Whether a value, or any value inside it, is a marker of a value that is not known yet. For
 * values from Pulumi and validated ones: JSON from elsewhere can have more levels than the stack.
 */
export function hasMarker(value: unknown): boolean {
  if (typeof value === "object" && value !== null) {
    return Object.values(value).some(hasMarker);
  }
  return isMarker(value);
}

/** Whether a value is itself a marker, and does not only hold one. */
export function isMarker(value: unknown): boolean {
  return unknownMarkers.has(value);
}

/** A secret that Pulumi can store and print unchanged, or why it cannot. */
type StorableSecret = { readonly secret: string } | { readonly problem: string };

/**
 * Returns a secret if it is undamaged, and Pulumi can store it, and print it, unchanged: Pulumi
 * alters text that is not well-formed Unicode, takes a marker for a value that is not known yet,
 * and writes to the terminal what terminals and CI systems obey.
 */
export function parseSecret(secret: unknown): StorableSecret {
  if (typeof secret !== "string" || secret === "") {
    return { problem: "is not a non-empty string" };
  }
  if (!isPlainText(secret)) {
    return {
      problem:
        "holds a character that cannot be shown, such as a line break, a damaged one (U+FFFD), or a command of a CI system",
    };
  }
  return isMarker(secret)
    ? { problem: "is a text by which Pulumi marks values that are not known yet" }
    : { secret };
}

/** Wraps a text as a secret; returns any other value as it is. */
export function wrapSecret(value: unknown): unknown {
  return typeof value === "string" ? { [signatureKey]: secretSignature, value } : value;
}

/** Returns the value inside a secret's envelope, and any other value as it is. */
function unwrapSecret(value: unknown): unknown {
  const envelope = value as Record<string, unknown> | null | undefined;
  return envelope?.[signatureKey] === secretSignature ? envelope.value : value;
}

/**
 * Wraps the property `secret`, so that the engine encrypts it whatever the resource options say.
 */
export function withWrappedSecret(properties: Properties): Record<string, unknown> {
  return "secret" in properties
    ? { ...properties, secret: wrapSecret(properties.secret) }
    : { ...properties };
}

/** Drops `undefined` and `null`, both of which mean that an argument was not given. */
export function withoutNullish(properties: Properties): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Unwraps every property, because some versions of Pulumi pass envelopes to providers. */
export function withUnwrappedSecrets(properties: Properties): Properties {
  return mapValues(properties, unwrapSecret);
}

/**
 * Unwraps the properties of an exported state that `pulumi stack export --show-secrets` shows in
 * clear text. Encrypted ones stay as they are. Source: `SecretV1` in
 * `sdk/go/common/apitype/core.go` of pulumi/pulumi.
 */
export function withExposedSecrets(properties: Properties): Properties {
  return mapValues(properties, (value) => {
    const { [signatureKey]: signature, plaintext } = isJsonObject(value) ? value : {};
    const isExposed = signature === secretSignature && typeof plaintext === "string";
    return isExposed ? parseJson(plaintext) : value;
  });
}

function mapValues(properties: Properties, change: (value: unknown) => unknown): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, change(value)]),
  );
}
