import { randomUUID } from "node:crypto";
import { text } from "node:stream/consumers";
import { parseJson } from "../common/json.js";
import { oneLine } from "../common/redact.js";
import { explicitKey, namespace } from "../common/setting-names.js";
import { dynamicWebhookType, pluginWebhookType } from "../common/type-tokens.js";
import { version } from "../common/version.js";

const dynamicProviderType = "pulumi:providers:pulumi-nodejs";
const pluginProviderType = "pulumi:providers:dbwebhooks";

/** The fields in which a resource refers to other resources. */
const referenceFields = [
  ...["parent", "provider", "dependencies", "propertyDependencies"],
  ...["deletedWith", "replaceWith", "viewOf"],
];

type Properties = Readonly<Record<string, unknown>>;

interface Resource extends Properties {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs?: Properties | undefined;
  readonly outputs?: Properties | undefined;
  readonly propertyDependencies?: Properties | undefined;
  readonly provider?: string;
}

interface Deployment {
  readonly resources: readonly Resource[];
  readonly pending_operations?: readonly { readonly resource: Resource }[];
}

/** `pulumi-dbwebhooks move-state`: moves an exported state from standard input to standard output. */
export async function moveState(): Promise<void> {
  process.stdout.write(`${movedToPlugin(await text(process.stdin))}\n`);
}

/**
 * Moves the webhooks and the explicit providers of the main entry to the native plugin. Every webhook
 * keeps its number, and secrets stay as they are, encrypted or not. The rest of the state stays as it
 * is, apart from references to the moved resources.
 *
 * @param exported The output of `pulumi stack export`.
 */
export function movedToPlugin(exported: string): string {
  const state = parseJson(exported) as { readonly deployment?: Deployment } | null | undefined;
  const deployment = state?.deployment;
  if (!Array.isArray(deployment?.resources)) {
    throw new Error('This is no state: pass the output of "pulumi stack export".');
  }
  const { resources, pending_operations: operations } = deployment;
  if (!resources.some(isWebhook)) {
    throw new Error("This state holds no webhook of the dynamic provider.");
  }
  assertNoConflict(resources);
  assertOwnProviders(resources);
  const defaultProvider = defaultProviderOf(resources);
  const newReferences = newReferencesTo(resources);
  const move = (resource: Resource) => movedResource(resource, newReferences, defaultProvider);
  const others = resources.filter((one) => one !== defaultProvider).map(move);
  const moved = {
    ...deployment,
    // A provider has to precede the resources that use it, and the stack precedes everything.
    resources: [
      ...others.filter(isStack),
      defaultProvider,
      ...others.filter((one) => !isStack(one)),
    ],
    pending_operations: operations?.map((one) => ({ ...one, resource: move(one.resource) })),
  };
  return JSON.stringify({ ...state, deployment: moved }, undefined, 2);
}

function isStack({ type }: Resource): boolean {
  return type === "pulumi:pulumi:Stack";
}

function isWebhook({ type }: Resource): boolean {
  return type === dynamicWebhookType;
}

/** Whether a resource is a `Provider` of the main entry: other dynamic resources have the same type. */
function isExplicitProvider({ type, inputs = {} }: Resource): boolean {
  return type === dynamicProviderType && explicitKey in inputs;
}

function assertNoConflict(resources: readonly Resource[]): void {
  const urns = new Set(resources.map(({ urn }) => urn));
  const conflict = resources.find((one) => movedUrn(one) !== one.urn && urns.has(movedUrn(one)));
  if (conflict !== undefined) {
    throw new Error(
      `The state holds both ${shown(conflict.urn)} and ${shown(movedUrn(conflict))}. Remove one of them with "pulumi state delete", then export the state again.`,
    );
  }
}

/** Throws if another dynamic resource uses a `Provider` that moves: the plugin could not serve it. */
function assertOwnProviders(resources: readonly Resource[]): void {
  const references = resources.filter(isExplicitProvider).map(({ urn, id }) => `${urn}::${id}`);
  const other = resources.find(
    (one) => !isWebhook(one) && references.includes(String(one.provider)),
  );
  if (other !== undefined) {
    throw new Error(
      `${shown(other.urn)} uses a Provider of this package, and is no webhook. Give it no provider in the program, run "pulumi up", then export the state again.`,
    );
  }
}

/** A URN holds the types of a resource and of its parents: `urn:pulumi:STACK::PROJECT::A$B::NAME`. */
function movedUrn(resource: Resource): string {
  const newTypes = new Map([[dynamicWebhookType, pluginWebhookType]]);
  if (isExplicitProvider(resource)) {
    newTypes.set(dynamicProviderType, pluginProviderType);
  }
  const [stack, project, types = "", ...name] = resource.urn.split("::");
  const moved = types.split("$").map((type) => newTypes.get(type) ?? type);
  return [stack, project, moved.join("$"), ...name].join("::");
}

/** Returns the default provider of this version of the plugin: the one in the state, or a new one. */
function defaultProviderOf(resources: readonly Resource[]): Resource {
  const [stack, project] = resources[0]?.urn.split("::") ?? [];
  const name = `default_${version.replace(/\W/g, "_")}`;
  const urn = [stack, project, pluginProviderType, name].join("::");
  const properties = { inputs: { version }, outputs: { version } };
  const created = { urn, custom: true, id: randomUUID(), type: pluginProviderType, ...properties };
  return resources.find((one) => one.urn === urn && one.delete !== true) ?? created;
}

/** The new references to the moved resources. A resource refers to its provider by URN and id. */
function newReferencesTo(resources: readonly Resource[]): ReadonlyMap<unknown, string> {
  const references = resources
    .map((one) => ({ id: one.id, from: one.urn, to: movedUrn(one) }))
    .filter(({ from, to }) => from !== to)
    .flatMap(({ id, from, to }): [string, string][] => [
      [from, to],
      [`${from}::${id}`, `${to}::${id}`],
    ]);
  return new Map(references);
}

function movedResource(
  resource: Resource,
  newReferences: ReadonlyMap<unknown, string>,
  defaultProvider: Resource,
): Resource {
  const moved: Record<string, unknown> = { ...resource, urn: movedUrn(resource) };
  for (const field of referenceFields.filter((name) => name in resource)) {
    const replace = (_: string, value: unknown) => newReferences.get(value) ?? value;
    moved[field] = JSON.parse(JSON.stringify(resource[field]), replace);
  }
  if (isExplicitProvider(resource)) {
    return { ...(moved as Resource), ...pluginProviderFields(resource) };
  }
  if (isWebhook(resource)) {
    const { urn, id } = defaultProvider;
    const provider = newReferences.get(resource.provider) ?? `${urn}::${id}`;
    return { ...(moved as Resource), ...pluginWebhookFields(moved as Resource), provider };
  }
  return moved as Resource;
}

/** The fields of a `Provider`. The main entry stores its arguments as keys of a stack's configuration. */
function pluginProviderFields({ inputs, outputs }: Resource) {
  const withoutNamespace = (properties: Properties = {}): Properties =>
    Object.fromEntries(
      Object.entries(properties)
        .filter(([key]) => key !== explicitKey)
        .map(([key, value]) => [key.replace(`${namespace}:`, ""), value]),
    );
  return {
    type: pluginProviderType,
    inputs: withoutNamespace(inputs),
    outputs: withoutNamespace(outputs),
  };
}

function pluginWebhookFields(resource: Resource) {
  const { id, inputs, outputs, propertyDependencies } = resource;
  return {
    type: pluginWebhookType,
    inputs: withoutProviderText(inputs),
    propertyDependencies: withoutProviderText(propertyDependencies),
    // A pending creation has no id and no outputs.
    ...(id !== undefined && {
      id: `${databaseIdOf(resource)}/${id}`,
      outputs: { ...withoutProviderText(outputs), webhookId: id },
    }),
  };
}

/** Removes the text of the dynamic provider, which Pulumi stores with every dynamic resource. */
function withoutProviderText(properties?: Properties): Properties | undefined {
  const { __provider: _, ...rest } = properties ?? {};
  return properties && rest;
}

function databaseIdOf({ urn, outputs }: Resource): string {
  const stored = outputs?.databaseId as string | { readonly plaintext?: string } | undefined;
  const databaseId = typeof stored === "object" ? parseJson(stored.plaintext ?? "") : stored;
  if (typeof databaseId === "string") {
    return databaseId;
  }
  throw new Error(
    stored === undefined
      ? `The state holds no databaseId for ${shown(urn)}.`
      : `The databaseId of ${shown(urn)} is encrypted. Export the state with "pulumi stack export --show-secrets", and delete the files afterwards.`,
  );
}

/** A URN for a message: an edited state can hold control characters. */
function shown(urn: string): string {
  return oneLine(urn, 300);
}
