import type { dynamic } from "@pulumi/pulumi";
import { oneLine } from "../common/redact.js";
import { WebhookError } from "../service/errors.js";
import { problemsOfArguments, type WebhookInputs } from "./check.js";
import { normalizeEvents } from "./diff.js";
import { isUnknown } from "./values.js";

const maxFailures = 20;

/** The arguments or the state of a resource, as Pulumi hands them over. */
export type Properties = Readonly<Record<string, unknown>>;

/** Drops what means "not given", and the text of the provider, which Pulumi itself puts back. */
export function withoutAbsent(properties: Properties): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).filter(
      ([name, value]) => name !== "__provider" && value !== undefined && value !== null,
    ),
  );
}

/** One failure a problem, up to a number that a person reads. */
export function failuresOf(problems: readonly string[]): dynamic.CheckFailure[] {
  const shown = problems.slice(0, maxFailures);
  if (problems.length > shown.length) {
    shown.push(`more: there are ${problems.length - shown.length} further problems like these`);
  }
  // Without a property: Pulumi prints the value of a named one, and a url is often a credential.
  return shown.map((reason) => ({ property: "", reason: oneLine(reason, 500) }));
}

/**
 * The arguments of a webhook that is about to be created. Pulumi leaves out what it does not know yet
 * from a creation, and half a webhook is worse than none.
 */
export function completeInputs(inputs: Properties): WebhookInputs {
  const known = withoutAbsent(inputs);
  const [problem] = problemsOfArguments(known);
  if (problem !== undefined || isUnknown(known)) {
    throw new WebhookError(
      `Create webhook failed: ${problem ?? "not all arguments are known"}. Nothing was sent. Run "pulumi up" again.`,
    );
  }
  return known as WebhookInputs;
}

/**
 * Checked arguments as they are stored: in one spelling, and the secret of a webhook to adopt marked,
 * so that the engine encrypts it even where a transformation has taken its mark away.
 */
export function normalizeInputs(inputs: Properties): Record<string, unknown> {
  const { adopt, events, ...rest } = inputs;
  const normalized = { ...rest, events: normalizeEvents(events) };
  if (typeof adopt !== "object" || adopt === null) {
    return "adopt" in inputs ? { ...normalized, adopt } : normalized;
  }
  const { id, secret } = adopt as Record<string, unknown>;
  return { ...normalized, adopt: withSecretMarked({ id: String(id), secret }) };
}

/** How Pulumi marks a secret. Source: `specialSigKey` in `sdk/nodejs/runtime/rpc.ts`. */
export const secretMark = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
};

/** Marks the secret, so that the engine encrypts it whatever the resource's options say. */
export function withSecretMarked(properties: Properties): Record<string, unknown> {
  const { secret, ...rest } = properties;
  return typeof secret === "string"
    ? { ...rest, secret: { ...secretMark, value: secret } }
    : { ...properties };
}

/** Undoes the marks of secrets, for a Pulumi that leaves them in what it hands to providers. */
export function withSecretsBare(properties: Properties): Properties {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name,
      isMarked(value) ? value.value : value,
    ]),
  );
}

function isMarked(value: unknown): value is { value: unknown } {
  return Object.entries(secretMark).every(
    ([key, mark]) => (value as Record<string, unknown> | null | undefined)?.[key] === mark,
  );
}
