// The operations of Pulumi on each resource, as calls to the provider in the order of Pulumi.
import type { OperationKind } from "./plays.ts";
import type { Pulumi } from "./pulumi.ts";
import type { Resource } from "./resources.ts";

/** Plays the operations of all resources, and the stop of the command. */
export async function playOperations(pulumi: Pulumi): Promise<void> {
  const { world } = pulumi;
  const { play } = world;
  const absent = play.refresh === "before" ? await refreshAll(pulumi) : [];
  const operations = world.resources.map(async (resource) => {
    if (!play.beginsAtOnce) {
      await world.turn(`the operation of resource ${resource.number} begins`);
    }
    const isFound = play.refresh !== "beside" || (await refresh(pulumi, resource));
    const isAbsent = !isFound || absent.includes(resource);
    const playOperation = isAbsent ? createNew : operationOf[resource.kind];
    await playOperation(pulumi, resource).catch((error) => noteRefusal(pulumi, resource, error));
  });
  const stop = world.turn(`stop: ${play.stop}`).then(() => {
    world.engine.stop(play.stop);
  });
  await world.runUntil(Promise.all([...operations, stop]));
}

/** Returns the resources whose webhooks are absent. */
async function refreshAll(pulumi: Pulumi): Promise<readonly Resource[]> {
  const absent: Resource[] = [];
  const refreshes = pulumi.world.resources.map(async (resource) => {
    const isFound = await refresh(pulumi, resource);
    if (!isFound) {
      absent.push(resource);
    }
  });
  await pulumi.world.runUntil(Promise.all(refreshes));
  return absent;
}

/**
 * Pulumi compares what it has read with the arguments of the last update. Returns whether it found
 * the webhook.
 */
async function refresh(pulumi: Pulumi, resource: Resource): Promise<boolean> {
  const isFound = await pulumi.refresh(resource);
  if (isFound) {
    await pulumi.compare(resource).catch((error) => noteRefusal(pulumi, resource, error));
  }
  return isFound;
}

/**
 * A refusal is right only if a creation of this command has returned the webhook, so that two
 * resources have it.
 */
function noteRefusal({ world }: Pulumi, { number, old }: Resource, error: unknown): void {
  if (!old || world.history.creationsWithNewId(old.webhook.id).length === 0) {
    world.history.violations.push(`resource ${number} is refused: ${error}`);
  }
}

type PlayOperation<Result = unknown> = (pulumi: Pulumi, resource: Resource) => Promise<Result>;

const changes = { tableId: "tbl_other" };

const createNew: PlayOperation<boolean> = async (pulumi, resource) => {
  await pulumi.check(resource);
  return pulumi.create(resource);
};

const keep: PlayOperation = async (pulumi, resource) => {
  await pulumi.check(resource);
  await pulumi.compare(resource);
};

const operationOf: Readonly<Record<OperationKind, PlayOperation>> = {
  create: createNew,

  delete: (pulumi, resource) => pulumi.delete(resource),

  replace: async (pulumi, resource) => {
    await pulumi.check(resource, changes);
    await pulumi.compare(resource, changes);
    const isCreated = await createNew(pulumi, resource);
    if (isCreated) {
      await pulumi.delete(resource);
    }
  },

  // `up --replace` asks for no comparison.
  forcedReplace: async (pulumi, resource) => {
    const isCreated = await createNew(pulumi, resource);
    if (isCreated) {
      await pulumi.delete(resource);
    }
  },

  deleteBeforeReplace: async (pulumi, resource) => {
    await keep(pulumi, resource);
    await pulumi.compare(resource, changes);
    const isDeleted = await pulumi.delete(resource);
    if (isDeleted) {
      await createNew(pulumi, resource);
    }
  },

  keep,

  // Two entries of the state hold one webhook, and one of them leaves the program.
  deleteDuplicate: async (pulumi, resource) => {
    await keep(pulumi, resource);
    await pulumi.world.turn(`the duplicate of resource ${resource.number} is deleted`);
    await pulumi.delete(resource, { isDuplicate: true });
  },

  // A new resource imports the webhook of a resource that leaves the program.
  import: async (pulumi, resource) => {
    const isImported = await pulumi.import(resource);
    if (isImported) {
      await pulumi.check(resource);
    }
    await pulumi.world.turn(`the former resource of ${resource.number} is deleted`);
    await pulumi.delete(resource, { isDuplicate: true });
  },

  // The service has lost the webhook, but no refresh has told Pulumi.
  recreate: keep,
};
