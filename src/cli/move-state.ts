import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { parseJson } from "../common/json.js";
import { explicitKey, namespace } from "../common/setting-names.js";
import { version } from "../common/version.js";

type Properties = Record<string, unknown>;

interface Resource {
  readonly urn: string;
  type: string;
  id: string;
  inputs?: Properties;
  outputs?: Properties;
  provider?: string;
  propertyDependencies?: Properties;
}

/** Turns an exported state of the main entry into one of the native plugin, from stdin to stdout. */
export async function moveState(): Promise<void> {
  process.stdout.write(`${movedToPlugin(await text(process.stdin))}\n`);
}

/**
 * The same state for the native plugin. Secrets stay as they are, encrypted or not, and every webhook
 * keeps its number.
 *
 * @param exported What `pulumi stack export` wrote.
 */
export function movedToPlugin(exported: string): string {
  if (!isExport(parseJson(exported))) {
    throw new Error('This is no state: give it what "pulumi stack export" wrote.');
  }
  // URNs hold the type too, and other resources name them.
  const state = JSON.parse(exported.replaceAll(dynamicType, pluginType));
  const resources: Resource[] = state.deployment.resources;
  const webhooks = resources.filter(({ type }) => type === pluginType);
  const isOurs = ({ inputs }: Resource) => inputs !== undefined && explicitKey in inputs;
  const accounts = resources.filter((one) => one.type === dynamicProviderType && isOurs(one));
  const [stack] = resources;
  if (webhooks.length === 0 || stack === undefined) {
    throw new Error("There is no webhook of pulumi-dbwebhooks in this state.");
  }

  const [, project] = /^(urn:pulumi:[^:]+::[^:]+)::/.exec(stack.urn) ?? [];
  const provider = {
    urn: `${project}::${pluginProviderType}::default_${version.replace(/\W/g, "_")}`,
    custom: true,
    id: randomUUID(),
    type: pluginProviderType,
    inputs: { version },
    outputs: { version },
  };
  for (const webhook of webhooks) {
    if (!accounts.some(({ urn }) => webhook.provider?.startsWith(`${urn}::`))) {
      webhook.provider = `${provider.urn}::${provider.id}`;
    }
    webhook.outputs = { ...webhook.outputs, webhookId: webhook.id };
    webhook.id = `${databaseIdOf(webhook)}/${webhook.id}`;
    for (const part of [webhook.inputs, webhook.outputs, webhook.propertyDependencies]) {
      delete part?.__provider;
    }
  }
  for (const account of accounts) {
    account.type = pluginProviderType;
    account.inputs = withoutPrefix(account.inputs);
    account.outputs = withoutPrefix(account.outputs);
  }
  state.deployment.resources = [stack, provider, ...resources.slice(1)];
  return accounts.reduce(
    (moved, { urn }) => moved.replaceAll(urn, urn.replace(dynamicProviderType, pluginProviderType)),
    JSON.stringify(state, undefined, 2),
  );
}

const dynamicType = "pulumi-nodejs:dynamic/dbwebhooks:Webhook";
const pluginType = "dbwebhooks:index:Webhook";
const dynamicProviderType = "pulumi:providers:pulumi-nodejs";
const pluginProviderType = "pulumi:providers:dbwebhooks";

function isExport(value: unknown): boolean {
  const { deployment } = (value ?? {}) as { deployment?: { resources?: unknown } };
  return Array.isArray(deployment?.resources);
}

/** The arguments of an account, which the main entry stores as keys of a configuration. */
function withoutPrefix(properties: Properties = {}): Properties {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([key]) => key !== explicitKey)
      .map(([key, value]) => [key.replace(`${namespace}:`, ""), value]),
  );
}

function databaseIdOf({ urn, outputs }: Resource): string {
  const value = outputs?.databaseId as string | { plaintext?: string } | undefined;
  const databaseId = typeof value === "object" ? parseJson(value.plaintext ?? "null") : value;
  if (typeof databaseId !== "string") {
    throw new Error(
      `The databaseId of ${urn} is encrypted: use "pulumi stack export --show-secrets".`,
    );
  }
  return databaseId;
}
