// What Pulumi does with each resource, as calls to the provider in the order of Pulumi.
import { unknownMarkers } from "../builders.ts";
import type { OperationKind } from "./plays.ts";
import type { Pulumi } from "./pulumi.ts";
import type { Resource } from "./resources.ts";

/** Plays the operations of all resources, and the stop of the command. */
export async function playOperations(pulumi: Pulumi): Promise<void> {
  const { world } = pulumi;
  const { play } = world;
  const absent = play.refresh === "before" ? await refreshAll(pulumi) : [];
  const operations = world.resources.map(async (resource) => {
    if (!play.beginsAtOnce) await world.turn(`the operation of resource ${resource.number} begins`);
    const isFound = play.refresh !== "beside" || (await refresh(pulumi, resource));
    const isAbsent = !isFound || absent.includes(resource);
    const playOperation = isAbsent ? createNew : operationOf[resource.kind];
    await playOperation(pulumi, resource).catch((error) => {
      world.history.violations.push(`resource ${resource.number} is refused: ${error}`);
    });
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
    if (!isFound) absent.push(resource);
  });
  await pulumi.world.runUntil(Promise.all(refreshes));
  return absent;
}

/** Pulumi compares what it has read with the arguments of the last update. Returns whether it found the webhook. */
async function refresh(pulumi: Pulumi, resource: Resource): Promise<boolean> {
  const { violations } = pulumi.world.history;
  const reading = pulumi.refresh(resource);
  if (resource.kind === "elsewhere") {
    await expectRefusal(pulumi, resource, "refresh", reading);
    return true;
  }
  const isFound = await reading;
  if (isFound) {
    await pulumi.compare(resource).catch((error) => {
      violations.push(`the refresh of resource ${resource.number} is refused: ${error}`);
    });
  }
  return isFound;
}

async function expectRefusal(
  { world }: Pulumi,
  { number }: Resource,
  name: string,
  operation: Promise<unknown>,
): Promise<void> {
  const isRefused = await operation.then(
    () => false,
    () => true,
  );
  if (!isRefused) world.history.violations.push(`the ${name} of resource ${number} is accepted`);
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

  // Two resources adopt one webhook, whatever they had before. It stays, because the program names it.
  adoptTwice: async (pulumi, resource) => {
    const args = adopting(resource);
    const checks = [resource.args, args].map(async (olds) => {
      await pulumi.world.turn(`resource ${resource.number} or its twin is checked`);
      return pulumi.check(resource, olds, args);
    });
    const accepted = (await Promise.all(checks)).filter(Boolean);
    if (accepted.length !== 1) {
      pulumi.world.history.violations.push(`${accepted.length} resources may adopt one webhook`);
    }
    await pulumi.delete(resource);
  },

  // Before Pulumi deletes the dependents of a resource, it compares them with arguments that are not known yet.
  adoptUnknown: async (pulumi, resource) => {
    const args = adopting(resource);
    const isReplaced = await pulumi.compare(resource, { ...args, url: unknownMarkers.string });
    if (isReplaced) pulumi.world.history.violations.push("an unknown url replaces a webhook");
    await pulumi.world.turn(`the adopting resource ${resource.number} is deleted`);
    await pulumi.delete(resource);
    await pulumi.check(resource, args, args);
    await pulumi.compare(resource, args);
  },

  // The webhook is deleted without Pulumi after the refresh, and before its adoption looks it up.
  adoptVanished: async (pulumi, resource) => {
    const { play, service, history } = pulumi.world;
    const webhook = resource.old?.webhook;
    // A new webhook with its number and its url could not be told from it.
    const isUnique = !String(resource.args.url).endsWith("shared");
    if (!play.listing || !isUnique || webhook === undefined) return;
    service.webhooks.delete(webhook.id);
    history.vanished.add(webhook);
    const args = adopting(resource);
    await pulumi.check(resource, {}, args);
    const isStored = await pulumi.create(resource, args);
    if (isStored) history.violations.push(`the absent webhook ${webhook.id} is adopted`);
  },

  // A new resource imports the webhook of a resource that leaves the program.
  import: async (pulumi, resource) => {
    const deletion = pulumi.world.turn(`the former resource of ${resource.number} is deleted`);
    const importAndCheck = async () => {
      const isImported = await pulumi.import(resource);
      if (isImported) await pulumi.check(resource, resource.args, resource.args);
    };
    await Promise.all([importAndCheck(), deletion.then(() => pulumi.delete(resource))]);
  },

  // The state has the webhook at another base URL.
  elsewhere: async (pulumi, resource) => {
    await pulumi.check(resource, resource.args, resource.args);
    await expectRefusal(pulumi, resource, "update", pulumi.compare(resource));
    const isDeleted = await pulumi.delete(resource);
    if (isDeleted) pulumi.world.history.violations.push("a webhook of another service is deleted");
  },

  // The service has lost the webhook, but no refresh has told Pulumi.
  recreate: keep,
};

function adopting({ args, old }: Resource) {
  return { ...args, adopt: { id: old?.webhook.id, secret: old?.webhook.secret } };
}
