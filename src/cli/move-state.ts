import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { parseJson } from "../common/json.js";
import { oneLine } from "../common/redact.js";
import { explicitProviderKey, namespace } from "../common/setting-names.js";
import { dynamicWebhookType, pluginWebhookType } from "../common/type-tokens.js";
import { version } from "../common/version.js";

const dynamicProviderType = "pulumi:providers:pulumi-nodejs";
const pluginProviderType = "pulumi:providers:dbwebhooks";

/** The fields in which a resource refers to others by their URNs. `aliases` holds its own former URNs. */
const referenceFields = [
  "parent",
  "dependencies",
  "propertyDependencies",
  "deletedWith",
  "replaceWith",
  "viewOf",
];

type Properties = Readonly<Record<string, unknown>>;

interface Resource extends Properties {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs?: Properties;
  readonly outputs?: Properties;
  readonly provider?: string;
}

interface Deployment {
  readonly resources: readonly Resource[];
  readonly pending_operations?: readonly unknown[] | null;
}

/** `pulumi-dbwebhooks move-state`: moves an exported state from standard input to standard output. */
export async function moveState(): Promise<void> {
  process.stdout.write(`${movedToPlugin(await text(process.stdin))}\n`);
}

/**
 * Moves the webhooks and the explicit providers of the dynamic provider, which programs import from
 * `pulumi-dbwebhooks`, to the native plugin. Every webhook keeps its number, and secrets stay as they are,
 * encrypted or not. The rest of the state stays as it is, apart from references to the moved resources.
 *
 * @param exported The output of `pulumi stack export`.
 */
export function movedToPlugin(exported: string): string {
  const state = parseJson(exported) as { readonly deployment?: Deployment } | null | undefined;
  const deployment = state?.deployment;
  if (!Array.isArray(deployment?.resources)) {
    throw new Error('This is not a state: pass the output of "pulumi stack export".');
  }
  assertMovable(deployment);
  const { resources } = deployment;
  const defaultProvider = findOrCreateDefaultProvider(resources);
  const newReferences = newReferencesTo(resources);
  const moved = resources
    .filter((resource) => resource !== defaultProvider)
    .map((resource) => movedResource(resource, newReferences, referenceTo(defaultProvider)));
  // A provider has to precede the resources that use it.
  const movedDeployment = { ...deployment, resources: [defaultProvider, ...moved] };
  return JSON.stringify({ ...state, deployment: movedDeployment }, undefined, 2);
}

function assertMovable({ resources, pending_operations: operations }: Deployment): void {
  if (!resources.some(isWebhook)) {
    throw new Error("This state holds no webhook of the dynamic provider.");
  }
  if (operations?.length) {
    throw new Error(
      'This state holds pending operations. Remove them with "pulumi refresh --clear-pending-creates", then export the state again.',
    );
  }
  const urns = resources.map(({ urn }) => urn);
  const conflict = resources.find(
    (one) => movedUrn(one) !== one.urn && urns.includes(movedUrn(one)),
  );
  if (conflict !== undefined) {
    throw new Error(
      `The state holds both ${shown(conflict.urn)} and ${shown(movedUrn(conflict))}. Remove one of them with "pulumi state delete", then export the state again.`,
    );
  }
  const providers = resources.filter(isExplicitProvider).map(referenceTo);
  const other = resources.find(
    (one) => !isWebhook(one) && providers.includes(String(one.provider)),
  );
  if (other !== undefined) {
    // The plugin could not serve this resource.
    throw new Error(
      `${shown(other.urn)} uses a Provider of this package, and is no webhook. Give it no provider in the program, run "pulumi up", then export the state again.`,
    );
  }
}

function isWebhook({ type }: Resource): boolean {
  return type === dynamicWebhookType;
}

/** Whether a resource is a `Provider` of `pulumi-dbwebhooks`: other dynamic resources have the same type. */
function isExplicitProvider({ type, inputs = {} }: Resource): boolean {
  return type === dynamicProviderType && explicitProviderKey in inputs;
}

/** Returns the default provider of this version of the plugin: the one in the state, or a new one. */
function findOrCreateDefaultProvider(resources: readonly Resource[]): Resource {
  const [stack, project] = resources[0]?.urn.split("::") ?? [];
  const name = `default_${version.replace(/\W/g, "_")}`;
  const urn = [stack, project, pluginProviderType, name].join("::");
  const properties = { inputs: { version }, outputs: { version } };
  const created = { urn, custom: true, id: randomUUID(), type: pluginProviderType, ...properties };
  return resources.find((one) => one.urn === urn && one.delete !== true) ?? created;
}

/** How a resource refers to this provider. */
function referenceTo({ urn, id }: Resource): string {
  return `${urn}::${id}`;
}

/**
 * Maps the old URN of every moved resource to its new one, and the old reference to every moved provider to
 * its new one. One map can hold both, because no reference is a URN.
 */
function newReferencesTo(resources: readonly Resource[]): ReadonlyMap<unknown, string> {
  const renamed = resources
    .map((old) => ({ old, moved: { ...old, urn: movedUrn(old) } }))
    .filter(({ old, moved }) => moved.urn !== old.urn);
  return new Map([
    ...renamed.map(({ old, moved }) => [old.urn, moved.urn] as const),
    ...renamed.map(({ old, moved }) => [referenceTo(old), referenceTo(moved)] as const),
  ]);
}

/** A URN holds the types of a resource and of its parents: `urn:pulumi:STACK::PROJECT::A$B::NAME`. */
function movedUrn(resource: Resource): string {
  const [stack, project, types = "", ...name] = resource.urn.split("::");
  const newTypes = new Map([[dynamicWebhookType, pluginWebhookType]]);
  if (isExplicitProvider(resource)) {
    newTypes.set(dynamicProviderType, pluginProviderType);
  }
  const moved = types.split("$").map((type) => newTypes.get(type) ?? type);
  return [stack, project, moved.join("$"), ...name].join("::");
}

function movedResource(
  resource: Resource,
  newReferences: ReadonlyMap<unknown, string>,
  defaultProvider: string,
): Resource {
  const replace = (_: string, value: unknown) => newReferences.get(value) ?? value;
  const references = referenceFields
    .filter((field) => field in resource)
    .map((field) => [field, JSON.parse(JSON.stringify(resource[field]), replace)]);
  const moved = { ...resource, urn: movedUrn(resource), ...Object.fromEntries(references) };
  const { id, inputs, outputs, provider } = resource;
  if (isExplicitProvider(resource)) {
    const properties = { inputs: pluginProperties(inputs), outputs: pluginProperties(outputs) };
    return { ...moved, type: pluginProviderType, ...properties };
  }
  if (isWebhook(resource)) {
    return {
      ...moved,
      type: pluginWebhookType,
      id: `${databaseIdOf(resource)}/${id}`,
      inputs: pluginProperties(inputs),
      outputs: { ...pluginProperties(outputs), webhookId: id },
      provider: newReferences.get(provider) ?? defaultProvider,
    };
  }
  return moved;
}

/**
 * Returns the properties as the plugin names them: a `Provider` of `pulumi-dbwebhooks` stores its
 * arguments as keys of a stack's configuration. What only the dynamic provider needs is left out.
 */
function pluginProperties(properties: Properties = {}): Properties {
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([key]) => key !== "__provider" && key !== explicitProviderKey)
      .map(([key, value]) => [key.replace(`${namespace}:`, ""), value]),
  );
}

function databaseIdOf({ urn, outputs }: Resource): string {
  const stored = outputs?.databaseId as string | { readonly plaintext?: string } | undefined;
  const databaseId = typeof stored === "object" ? parseJson(stored.plaintext ?? "") : stored;
  if (typeof databaseId !== "string") {
    throw new Error(
      `The databaseId of ${shown(urn)} is encrypted or missing. Export the state with "pulumi stack export --show-secrets", and delete the files afterwards.`,
    );
  }
  return databaseId;
}

/** A URN for a message: an edited state can hold control characters. */
function shown(urn: string): string {
  return oneLine(urn, 300);
}
