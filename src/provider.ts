import type { dynamic } from "@pulumi/pulumi";
import { type Account, createWebhook, deleteWebhook } from "./client.js";
import { type ConfigResult, readConfig } from "./config.js";
import { diffWebhook, normalizeEvents, replacementText } from "./diff.js";
import { PartialCreationError, WebhookError } from "./errors.js";
import { notify } from "./notify.js";
import { oneLine, redact, sensitivePartsOfUrl } from "./redact.js";
import {
  type AccountSettings,
  problemsOfArguments,
  type WebhookInputs,
  webhookState,
} from "./schema.js";
import { createTransport } from "./transport.js";

type Properties = Readonly<Record<string, unknown>>;

const maxFailures = 20;
const localArguments = ["allowUnknownEvents", "allowInsecureUrl"];

let stackConfig: (key: string) => string | undefined = () => undefined;
let config: ConfigResult | undefined;
let account: Account | undefined;

/**
 * Keeps the configuration for the first operation that needs it. Pulumi calls other functions before
 * this one is done, and after an exception it goes on with a provider that was never configured: so
 * this neither waits nor fails.
 */
export function configure(request: dynamic.ConfigureRequest): Promise<void> {
  stackConfig = (key) => request.config.get(key);
  config = undefined;
  account = undefined;
  return Promise.resolve();
}

/** Reports everything that is wrong with the arguments and the configuration. Sends nothing. */
export async function check(_olds: Properties, news: Properties): Promise<dynamic.CheckResult> {
  const inputs = withoutAbsent(news);
  const problems = [...problemsOfArguments(inputs), ...(currentConfig().problems ?? [])];
  if (problems.length === 0) {
    return { inputs: { ...inputs, events: normalizeEvents(inputs.events) } };
  }
  const shown = problems.slice(0, maxFailures);
  if (problems.length > shown.length) {
    shown.push(`and ${problems.length - shown.length} more problems of the same kinds`);
  }
  // Without a property: Pulumi prints the value of a named one, and a url is often a credential.
  return {
    inputs,
    failures: shown.map((reason) => ({ property: "", reason: oneLine(reason, 500) })),
  };
}

/** Compares the state with the arguments and the base URL. Every difference replaces. */
export async function diff(
  id: string,
  olds: Properties,
  news: Properties,
): Promise<dynamic.DiffResult> {
  const differences = diffWebhook(olds, news, currentConfig().settings?.baseUrl);
  if (differences.length === 0) {
    return { changes: false };
  }
  notify(replacementText(id, olds, differences));
  return { changes: true, replaces: differences.map(({ property }) => property) };
}

/** Creates the webhook and returns its secret for Pulumi to encrypt. */
export async function create(inputs: Properties): Promise<dynamic.CreateResult> {
  return presentErrors("Create webhook", inputs, async () => {
    const current = currentAccount();
    const { baseUrl } = current.settings;
    const { id, secret } = await createWebhook(current, inputs as WebhookInputs);
    if (secret === undefined) {
      return undoCreation(current, id, { ...inputs, baseUrl });
    }
    return { id, outs: withSecretMarked({ ...inputs, baseUrl, secret }) };
  });
}

/** Returns the state as it is: reading a webhook is not described by the service's interface. */
export async function read(id: string, props: Properties): Promise<dynamic.ReadResult> {
  return { id, props: withSecretMarked(props) };
}

/**
 * Keeps the old outputs, the secret among them, and takes over the arguments that never reach the
 * service. Nothing is sent: updating a webhook is not described by the service's interface.
 */
export async function update(
  _id: string,
  olds: Properties,
  news: Properties,
): Promise<dynamic.UpdateResult> {
  const isLocal = ([name]: [string, unknown]) => localArguments.includes(name);
  const kept = Object.entries(olds).filter((entry) => !isLocal(entry));
  const taken = Object.entries(withoutAbsent(news)).filter(isLocal);
  return { outs: withSecretMarked(Object.fromEntries([...kept, ...taken])) };
}

/** Deletes the webhook where it was created. */
async function remove(id: string, props: Properties): Promise<void> {
  return presentErrors(`Delete webhook ${id}`, props, async () => {
    const state = webhookState.safeParse(props).data;
    if (state === undefined) {
      throw new WebhookError(
        `Delete webhook ${id} failed: its state holds no usable databaseId and baseUrl. Nothing was sent. Delete the webhook by hand, then remove it with "pulumi state delete".`,
      );
    }
    const address = { baseUrl: state.baseUrl, databaseId: state.databaseId, id };
    if ((await deleteWebhook(currentAccount(), address, sensitiveValues(props))) === "absent") {
      notify(`Webhook ${id} of database ${state.databaseId} was already gone from the service.`);
    }
  });
}

export { remove as delete };

({
  configure,
  check,
  diff,
  create,
  read,
  update,
  delete: remove,
}) satisfies dynamic.ResourceProvider;

function currentConfig(): ConfigResult {
  config ??= readConfig(stackConfig, process.env);
  return config;
}

function currentAccount(): Account {
  const { settings, problems } = currentConfig();
  if (settings === undefined) {
    throw new WebhookError(`${problems.join(". ")}. Nothing was sent.`);
  }
  account ??= openAccount(settings);
  return account;
}

function openAccount(settings: AccountSettings): Account {
  return { settings, transport: createTransport(settings) };
}

/** Deletes a webhook whose creation gave no secret; failing that, has Pulumi remember it. */
async function undoCreation(current: Account, id: string, inputs: Properties): Promise<never> {
  const { databaseId, baseUrl } = inputs as WebhookInputs & { baseUrl: string };
  const what = `Create webhook in database ${databaseId} failed: the service created webhook ${id} but sent no usable secret.`;
  try {
    await deleteWebhook(current, { baseUrl, databaseId, id }, sensitiveValues(inputs));
  } catch (error) {
    const reason = `${what} Deleting it again failed too (${messageOf(error)}). It is in the state without a secret; the next "pulumi up" replaces it.`;
    throw new PartialCreationError(id, inputs, reason);
  }
  throw new WebhookError(
    `${what} It was deleted again. Run "pulumi up" again; if this comes back, check that dbwebhooks:baseUrl is the service itself.`,
  );
}

function withoutAbsent(properties: Properties): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).filter(
      ([name, value]) => name !== "__provider" && value !== undefined && value !== null,
    ),
  );
}

/**
 * Marks the secret in the way Pulumi's wire format does, so that the engine encrypts it whatever the
 * resource's options say. Source: `specialSigKey` in `sdk/nodejs/runtime/rpc.ts` of pulumi/pulumi.
 */
function withSecretMarked(properties: Properties): Record<string, unknown> {
  const { secret, ...rest } = properties;
  return typeof secret !== "string"
    ? { ...properties }
    : {
        ...rest,
        secret: {
          "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
          value: secret,
        },
      };
}

/**
 * Lets no error out that could carry more than its message: Pulumi prints the stack of some errors,
 * and gives fields such as `id` and `code` a meaning.
 */
async function presentErrors<Result>(
  operation: string,
  properties: Properties,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const presentable =
      error instanceof WebhookError
        ? error
        : new WebhookError(
            `${operation} failed unexpectedly (${redact(messageOf(error), sensitiveValues(properties))}). This is a fault of pulumi-dbwebhooks: look at the service before you run again, and report it.`,
          );
    presentable.stack = "";
    throw presentable;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "no error object";
}

function sensitiveValues({ url, secret }: Properties): string[] {
  const values = [currentConfig().settings?.apiKey, secret];
  return [
    ...values.filter((value) => typeof value === "string"),
    ...(typeof url === "string" ? sensitivePartsOfUrl(url) : []),
  ];
}
