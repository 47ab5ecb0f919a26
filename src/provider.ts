import type { dynamic } from "@pulumi/pulumi";
import { type Account, deleteWebhook } from "./client.js";
import { type ConfigResult, readConfig } from "./config.js";
import { createOrUndo } from "./creation.js";
import { diffWebhook, normalizeEvents, replacementText } from "./diff.js";
import { presentErrors, WebhookError } from "./errors.js";
import { notify } from "./notify.js";
import {
  completeInputs,
  failuresOf,
  type Properties,
  withoutAbsent,
  withSecretMarked,
  withSecretsBare,
} from "./properties.js";
import { oneLine, sensitivePartsOfUrl } from "./redact.js";
import { type AccountSettings, problemsOfArguments, webhookAddress } from "./schema.js";
import { createTransport } from "./transport.js";

const maxShownLength = 100;
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
  return presentErrors(
    "Check webhook",
    () => sensitiveValues(news),
    async () => {
      const inputs = withoutAbsent(news);
      const problems = [...(currentConfig().problems ?? []), ...problemsOfArguments(inputs)];
      return problems.length === 0
        ? { inputs: { ...inputs, events: normalizeEvents(inputs.events) } }
        : { inputs, failures: failuresOf(problems) };
    },
  );
}

/** Compares the state with the arguments and the base URL. Every difference replaces. */
export async function diff(
  id: string,
  olds: Properties,
  news: Properties,
): Promise<dynamic.DiffResult> {
  return presentErrors(
    `Compare webhook ${id}`,
    () => sensitiveValues(olds),
    async () => {
      const state = withSecretsBare(olds);
      const differences = diffWebhook(state, news, currentConfig().settings?.baseUrl);
      if (differences.length === 0) {
        return { changes: false };
      }
      notify(replacementText(id, state, differences));
      return { changes: true, replaces: differences.map(({ property }) => property) };
    },
  );
}

/** Creates the webhook and returns its secret for Pulumi to encrypt. */
export async function create(inputs: Properties): Promise<dynamic.CreateResult> {
  return presentErrors(
    "Create webhook",
    () => sensitiveValues(inputs),
    async () => {
      const current = currentAccount("Create webhook");
      const webhook = completeInputs(inputs);
      const stored = { ...inputs, baseUrl: current.settings.baseUrl };
      const { id, secret } = await createOrUndo(current, webhook, stored, sensitiveValues(inputs));
      return { id, outs: withSecretMarked({ ...stored, secret }) };
    },
  );
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
  const state = withSecretsBare(props);
  const sensitive = () => sensitiveValues(state);
  const operation = `Delete webhook ${oneLine(id, maxShownLength)}`;
  return presentErrors(operation, sensitive, async () => {
    const address = webhookAddress.safeParse({ ...state, id }).data;
    if (address === undefined) {
      throw new WebhookError(
        `${operation} failed: its state holds no usable id, databaseId and baseUrl. Nothing was sent. Delete the webhook by hand, then remove it with "pulumi state delete".`,
      );
    }
    const current = currentAccount(
      `${operation} of database ${address.databaseId}`,
      'The webhook stays in the state. "pulumi destroy" reads the environment, but not what "pulumi config set" has changed since the last "pulumi up". ',
    );
    const outcome = await deleteWebhook(current, address, { sensitiveValues: sensitive() });
    if (outcome === "absent") {
      notify(`Webhook ${id} of database ${address.databaseId} was already gone from the service.`);
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

function currentAccount(operation: string, advice = ""): Account {
  const { settings, problems } = currentConfig();
  if (settings === undefined) {
    const what = `${oneLine(operation, 2 * maxShownLength)} failed: ${problems.join(". ")}`;
    throw new WebhookError(`${what}. ${advice}Nothing was sent.`);
  }
  account ??= openAccount(settings);
  return account;
}

function openAccount(settings: AccountSettings): Account {
  return { settings, transport: createTransport(settings) };
}

function sensitiveValues({ url, secret }: Properties): string[] {
  const values = [config?.settings?.apiKey, secret];
  return [
    ...values.filter((value) => typeof value === "string"),
    ...(typeof url === "string" ? sensitivePartsOfUrl(url) : []),
  ];
}
