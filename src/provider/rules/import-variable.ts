// The environment variable that describes webhooks to import: a JSON object by id, whose values
// hold the arguments and the secret.
import type { NewWebhook } from "../../api/client.js";
import { webhookIdOf } from "../../common/identifier.js";
import { isJsonObject, parseJson } from "../../common/json.js";
import { argumentNames, isWebhookField } from "../../common/webhook-fields.js";
import { parseArguments, validateArguments } from "./arguments.js";
import { type Properties, parseSecret, withoutNullish } from "./values.js";

/** The environment variable that describes the webhooks to import. */
export const importVariable = "DBWEBHOOKS_IMPORT";

/** Its form, without a secret: whoever imports it as it stands is refused. */
export const importForm =
  '{"42":{"databaseId":"base_abc123","url":"https://…","events":["record.created"],"tableId":"tbl_orders","secret":""}}';

const allowances = argumentNames.filter((name) => !isWebhookField(name));

/** The description of a webhook, without its secret, or why an import refuses it. */
export type WebhookDescription =
  | {
      readonly description: Properties;
      /** The arguments beginning with `allow` that it holds, because an import needs them. */
      readonly allowed: readonly string[];
    }
  | { readonly problems: readonly string[] };

/** Describes a webhook in the form that an import reads. */
export function describeWebhook(webhook: NewWebhook): WebhookDescription {
  const args = withoutNullish({ ...webhook });
  const allAllowed = Object.fromEntries(allowances.map((name) => [name, true]));
  const problems = validateArguments({ ...args, ...allAllowed });
  if (problems.length > 0) {
    return { problems };
  }
  const allowed = allowances.filter(
    (name) => validateArguments({ ...args, ...allAllowed, [name]: false }).length > 0,
  );
  const flags = Object.fromEntries(allowed.map((name) => [name, true]));
  return { description: { ...args, ...flags, secret: "" }, allowed };
}

/** A webhook to import, or why there is no usable description of it. */
type DescribedWebhook =
  | {
      readonly webhook: NewWebhook;
      /** The arguments as described, for Pulumi to store. */
      readonly inputs: Properties;
      readonly secret: string;
    }
  | { readonly problem: string };

/**
 * Reads the description of one webhook. No problem repeats a name or a value of the variable: if
 * somebody has swapped the two, the name is the secret.
 */
export function readDescribedWebhook(id: string, variable = ""): DescribedWebhook {
  if (webhookIdOf(id) === undefined) {
    return { problem: "the id to import is not that of a webhook, such as 42" };
  }
  if (variable === "") {
    return {
      problem: `${importVariable} is not set, and the service does not reveal the secret again`,
    };
  }
  // Some editors write a byte order mark in front of a file.
  const webhooks = parseJson(variable.replace(/^\ufeff/, ""));
  if (!isJsonObject(webhooks)) {
    return { problem: `${importVariable} is not a JSON object` };
  }
  const described = Object.hasOwn(webhooks, id) ? webhooks[id] : undefined;
  return isJsonObject(described)
    ? parseDescription(described)
    : { problem: `${importVariable} does not describe it as an object` };
}

function parseDescription(described: Properties): DescribedWebhook {
  const { secret, ...args } = withoutNullish(described);
  const storable = parseSecret(secret);
  const parsed = parseArguments(args);
  const problems = [
    ...("problem" in storable ? [`secret: ${storable.problem}`] : []),
    ...validateDescribedNames(args),
    ...("problems" in parsed ? parsed.problems : []),
  ];
  return problems.length > 0 || "problem" in storable || "problems" in parsed
    ? { problem: `${importVariable} does not describe it: ${problems.join("; ")}` }
    : {
        webhook: parsed.webhook,
        inputs: { ...args, events: parsed.webhook.events },
        secret: storable.secret,
      };
}

function validateDescribedNames(args: Properties): string[] {
  const names: readonly string[] = ["secret", ...argumentNames];
  return Object.keys(args).every((name) => names.includes(name))
    ? []
    : [`it holds a name other than ${names.join(", ")}`];
}
