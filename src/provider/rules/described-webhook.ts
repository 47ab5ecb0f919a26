// What the environment says of a webhook to import: a JSON object by id, whose values hold the
// arguments and the secret.
import { webhookIdOf } from "../../common/identifier.js";
import { isJsonObject, parseJson } from "../../common/json.js";
import { importVariable } from "../../common/setting-names.js";
import {
  validateArguments,
  type WebhookInputs,
  webhookArguments,
  withoutNullish,
  withSortedEvents,
} from "./arguments.js";
import type { ConfigSource } from "./config.js";
import { parseSecret } from "./values.js";

/** A webhook to import, or why there is no usable description of it. */
export type DescribedWebhook =
  | { readonly inputs: WebhookInputs; readonly secret: string }
  | { readonly problem: string };

/**
 * Reads the description of one webhook. No problem repeats a name or a value of the variable: if
 * somebody has swapped the two, the name is the secret.
 */
export function readDescribedWebhook(
  environment: ConfigSource["environment"],
  id: string,
): DescribedWebhook {
  if (webhookIdOf(id) === undefined) {
    return { problem: "the id to import is not the number of a webhook, such as 42" };
  }
  const variable = environment[importVariable] ?? "";
  if (variable === "") {
    return {
      problem: `${importVariable} is not set, and the service does not reveal the secret again`,
    };
  }
  const webhooks = parseJson(variable);
  if (!isJsonObject(webhooks)) {
    return { problem: `${importVariable} is not a JSON object` };
  }
  const described = Object.hasOwn(webhooks, id) ? webhooks[id] : undefined;
  if (!isJsonObject(described)) {
    return { problem: `${importVariable} does not describe it as an object` };
  }
  const { secret, ...args } = withoutNullish(described);
  const problems = [
    ...problemsOfSecret(secret),
    ...problemsOfNames(args),
    ...validateArguments(args),
  ];
  return problems.length === 0
    ? { inputs: withSortedEvents(args as unknown as WebhookInputs), secret: secret as string }
    : { problem: `${importVariable} does not describe it: ${problems.join("; ")}` };
}

/**
 * A secret that a user copies has no white space at its ends. One that the service returns may have
 * some.
 */
function problemsOfSecret(secret: unknown): string[] {
  const parsed = parseSecret(secret);
  if ("problem" in parsed) {
    return [`secret: ${parsed.problem}`];
  }
  return parsed.secret.trim() === parsed.secret
    ? []
    : ["secret: has white space at its beginning or its end"];
}

function problemsOfNames(args: object): string[] {
  const names = Object.keys(webhookArguments);
  return Object.keys(args).every((name) => names.includes(name))
    ? []
    : [`it holds a name other than secret, ${names.join(", ")}`];
}
