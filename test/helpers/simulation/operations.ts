// What Pulumi does with each resource, as calls to the provider in the order of Pulumi.
import type { OperationKind } from "./plays.ts";
import type { Pulumi } from "./pulumi.ts";
import { formerBaseUrl, type Resource } from "./resources.ts";

/** Plays the operations of all resources, and the stop of the command. */
export async function playOperations(pulumi: Pulumi): Promise<void> {
  const { world } = pulumi;
  const { play } = world;
  const gone = play.hasRefresh ? await refreshAll(pulumi) : [];
  const operations = world.resources.map(async (resource) => {
    if (!play.beginsAtOnce) await world.turn(`the operation of resource ${resource.number} begins`);
    const playOperation = gone.includes(resource) ? createNew : operationOf[resource.kind];
    await playOperation(pulumi, resource).catch((error) => {
      world.history.violations.push(`resource ${resource.number} is refused: ${error}`);
    });
  });
  const stop = world.turn(`stop: ${play.stop}`).then(() => {
    world.engine.stop(play.stop);
  });
  await world.runUntil(Promise.all([...operations, stop]));
}

/** Returns the resources whose webhooks are gone. */
async function refreshAll(pulumi: Pulumi): Promise<readonly Resource[]> {
  const gone: Resource[] = [];
  const refreshes = pulumi.world.resources.map(async (resource) => {
    const isFound = await pulumi.refresh(resource);
    if (!isFound) gone.push(resource);
  });
  await pulumi.world.runUntil(Promise.all(refreshes));
  return gone;
}

type PlayOperation<Result = unknown> = (pulumi: Pulumi, resource: Resource) => Promise<Result>;

const changes = { tableId: "tbl_other" };

const createNew: PlayOperation<boolean> = async (pulumi, resource) => {
  await pulumi.check(resource, {}, resource.args);
  return pulumi.create(resource);
};

const keep: PlayOperation = async (pulumi, resource) => {
  await pulumi.check(resource, resource.args, resource.args);
  await pulumi.compare(resource);
};

const operationOf: Readonly<Record<OperationKind, PlayOperation>> = {
  create: createNew,

  delete: (pulumi, resource) => pulumi.delete(resource),

  replace: async (pulumi, resource) => {
    await pulumi.check(resource, resource.args, { ...resource.args, ...changes });
    await pulumi.compare(resource, changes);
    const isCreated = await createNew(pulumi, resource);
    if (isCreated) await pulumi.delete(resource);
  },

  deleteBeforeReplace: async (pulumi, resource) => {
    await keep(pulumi, resource);
    await pulumi.compare(resource, changes);
    const isDeleted = await pulumi.delete(resource);
    if (isDeleted) await createNew(pulumi, resource);
  },

  keep,

  // Two entries of the state hold one webhook, and one of them leaves the program.
  deleteDuplicate: async (pulumi, resource) => {
    await keep(pulumi, resource);
    await pulumi.world.turn(`the duplicate of resource ${resource.number} is deleted`);
    await pulumi.delete(resource);
  },

  // The webhook that leaves the program was stored at the former base URL, with the id of one that stays.
  deleteFormer: async (pulumi, resource) => {
    await keep(pulumi, resource);
    await pulumi.world.turn(`the namesake of resource ${resource.number} is deleted`);
    await pulumi.delete(resource, { baseUrl: formerBaseUrl });
  },

  // A new resource adopts the webhook of a resource that leaves the program.
  adopt: async (pulumi, resource) => {
    const args = adopting(resource);
    await pulumi.check(resource, {}, args);
    const adoption = pulumi.world.turn(`resource ${resource.number} is created`);
    const deletion = pulumi.world.turn(`the former resource of ${resource.number} is deleted`);
    await Promise.all([
      adoption.then(() => pulumi.create(resource, args)),
      deletion.then(() => pulumi.delete(resource)),
    ]);
  },

  // A replacement adopts the webhook that it replaces. Pulumi checks it with the old arguments, then without.
  adoptAgain: async (pulumi, resource) => {
    const args = adopting(resource);
    await pulumi.check(resource, args, args);
    await pulumi.world.turn(`the replacement of resource ${resource.number} is checked`);
    const isAccepted = await pulumi.check(resource, {}, args);
    if (isAccepted) pulumi.world.history.violations.push("a replacement adopts its own webhook");
  },

  // A new resource imports the webhook of a resource that leaves the program.
  import: async (pulumi, resource) => {
    const isImported = await pulumi.import(resource);
    if (!isImported) return;
    await pulumi.check(resource, resource.args, resource.args);
    await pulumi.world.turn(`the former resource of ${resource.number} is deleted`);
    await pulumi.delete(resource);
  },

  // The service has lost the webhook, but no refresh has told Pulumi.
  recreate: keep,
};

function adopting({ args, old }: Resource) {
  return { ...args, adopt: { id: old?.webhook.id, secret: old?.webhook.secret } };
}
