// The dynamic provider: Pulumi's provider process loads this file as `pulumi-dbwebhooks/provider`.
import type { dynamic } from "@pulumi/pulumi";
import { assertNodeVersion } from "../common/node-version.js";
import { withoutProviderText } from "../common/provider-text.js";
import { explicitProviderKey, namespace } from "../common/settings-table.js";
import { EngineMonitor } from "../provider/command/engine-monitor.js";
import type { Severity } from "../provider/command/reporter.js";
import { interruptedText } from "../provider/messages/interruption.js";
import { parseStateEntry } from "../provider/rules/state.js";
import { type Properties, withWrappedSecret } from "../provider/rules/values.js";
import { WebhookProvider } from "../provider/webhook-provider.js";

// A write fails once the engine has ended, but this process may still have to delete a new webhook.
process.stderr.on("error", () => {});

// The engine passes its address as the last argument, after flags such as those for logging.
const engineMonitor = new EngineMonitor(process.argv.at(-1), () =>
  notify(interruptedText, "warning"),
);
let provider = providerOf(() => undefined);

/**
 * Keeps the configuration for the first operation that needs it. This function neither waits nor
 * fails: Pulumi does not wait for it before it calls other functions, and after an exception it
 * continues with a provider that was never configured.
 */
export function configure({ config }: dynamic.ConfigureRequest): Promise<void> {
  provider = providerOf((key) => config.get(key));
  return Promise.resolve();
}

/** Reports every problem with the arguments and the configuration. */
export async function check(_olds: Properties, news: Properties): Promise<dynamic.CheckResult> {
  const request = { news: withoutProviderText(news) };
  const { inputs, problems } = await configuredProvider().check(request, { notify });
  // Name no property: Pulumi prints the value of a named one, and a url is often a credential.
  return { inputs, failures: problems.map((reason) => ({ property: "", reason })) };
}

/** Compares the state with the arguments and the base URL. Every difference replaces. */
export async function diff(
  id: string,
  olds: Properties,
  news: Properties,
): Promise<dynamic.DiffResult> {
  return configuredProvider().diff({ ...parseStateEntry(id, olds), news }, { notify });
}

/** Creates the webhook and returns its secret for Pulumi to encrypt. */
export async function create(inputs: Properties): Promise<dynamic.CreateResult> {
  return configuredProvider().create({ inputs }, { notify });
}

/**
 * Returns the state as it is or, with the setting `listing`, as the service has it. An empty id
 * says that the webhook no longer exists.
 */
export async function read(id: string, props: Properties): Promise<dynamic.ReadResult> {
  return configuredProvider().read(parseStateEntry(id, props), { notify });
}

/**
 * Keeps the old outputs: without this function Pulumi would store the provider text alone, and the
 * secret would be lost. Every difference replaces the webhook, so there is nothing to update.
 */
export async function update(_id: string, olds: Properties): Promise<dynamic.UpdateResult> {
  return { outs: withWrappedSecret(olds) };
}

async function remove(id: string, props: Properties): Promise<void> {
  await configuredProvider().delete(parseStateEntry(id, props), { notify });
}

export { remove as delete };

// Lets the compiler check that the exports implement Pulumi's interface.
({
  configure,
  check,
  diff,
  create,
  read,
  update,
  delete: remove,
}) satisfies dynamic.ResourceProvider;

/** Returns the configured provider. Throws if Node.js is too old. */
function configuredProvider(): WebhookProvider {
  assertNodeVersion("pulumi-dbwebhooks");
  return provider;
}

function providerOf(get: (key: string) => string | undefined): WebhookProvider {
  const source = {
    get: (name: string) => get(`${namespace}:${name}`),
    isExplicit: () => get(explicitProviderKey) === "true",
    environment: process.env,
  };
  return new WebhookProvider(source, engineMonitor);
}

/**
 * Shows one line to the user: the engine prints what its providers write to stderr, as information.
 */
function notify(line: string, severity: Severity): void {
  process.stderr.write(severity === "warning" ? `warning: ${line}\n` : `${line}\n`);
}
