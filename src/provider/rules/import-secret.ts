// What `DBWEBHOOKS_IMPORT_SECRET` holds: a JSON object by `<databaseId>/<id>`, whose values are
// secrets or objects with `secret` and the arguments.
import type { WebhookKey } from "../../api/client.js";
import { isJsonObject, parseJson } from "../../common/json.js";
import { importSecretVariable } from "../../common/setting-names.js";
import {
  validateArguments,
  type WebhookInputs,
  webhookArguments,
  withSortedEvents,
} from "./arguments.js";
import type { ConfigSource } from "./config.js";
import { type Properties, parseSecret } from "./values.js";

/** What the variable holds for one webhook. */
export interface ImportSecret {
  readonly secret: string;
  /** Its arguments, where they stand beside the secret. */
  readonly inputs?: WebhookInputs;
  /** Whether its arguments should stand beside the secret. */
  readonly isDescribed?: boolean;
  readonly problem?: string;
}

/**
 * Reads the variable for one webhook. No problem repeats a name or a value of the variable: if
 * somebody has swapped key and value, the name is the secret.
 */
export function readImportSecret(
  environment: ConfigSource["environment"],
  { databaseId, id }: WebhookKey,
): ImportSecret {
  const variable = environment[importSecretVariable] ?? "";
  if (variable === "") {
    return unusable("is not set, and the service does not reveal the secret again");
  }
  const secrets = parseJson(variable);
  if (!isJsonObject(secrets)) {
    return unusable("is not a JSON object of secrets");
  }
  const given = secrets[`${databaseId}/${id}`];
  const { secret, ...declared } = isJsonObject(given) ? given : { secret: given };
  if (typeof secret !== "string" || !isUsableSecret(secret)) {
    return { ...unusable("holds no usable secret for it"), isDescribed: isJsonObject(given) };
  }
  return isJsonObject(given)
    ? { secret, isDescribed: true, ...parseDeclared(declared, databaseId) }
    : { secret };
}

function parseDeclared(
  declared: Properties,
  databaseId: string,
): Pick<ImportSecret, "inputs" | "problem"> {
  const inputs = { ...declared, databaseId };
  const names = Object.keys(webhookArguments);
  const hasUnknownName = Object.keys(inputs).some((name) => !names.includes(name));
  const problems = [
    ...(hasUnknownName ? [`it holds a name other than secret, ${names.join(", ")}`] : []),
    ...validateArguments(inputs),
  ];
  return problems.length === 0
    ? { inputs: withSortedEvents(inputs as unknown as WebhookInputs) }
    : { problem: `does not describe it: ${problems.join("; ")}` };
}

function unusable(problem: string): ImportSecret {
  return { secret: "", problem };
}

/**
 * Whether a secret that a user gives is accepted. A secret that the service returns may hold more.
 */
function isUsableSecret(text: string): boolean {
  return "secret" in parseSecret(text) && text.trim() === text;
}
