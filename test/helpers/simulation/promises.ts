// The promises of this package. Each is a function that lists what breaks it in a play.
import type { Creation, Deletion } from "./history.ts";
import type { ServiceWebhook } from "./service.ts";
import type { World } from "./world.ts";

/** Lists every broken promise of a play that has ended. */
export function brokenPromises(world: World): readonly string[] {
  const broken = Object.entries(promises).flatMap(([promise, violationsIn]) =>
    violationsIn(world).map((violation) => `${promise}: ${violation}`),
  );
  return [...world.history.violations, ...broken];
}

const stayingKinds = ["keep", "adopt", "adoptAgain", "adoptTwice", "adoptUnknown"];
const adoptingKinds = ["adopt", "adoptTwice", "adoptVanished"];

const promises: Readonly<Record<string, (world: World) => readonly string[]>> = {
  "each webhook is stored, or its creation says that it may exist": ({ service, history }) =>
    [...service.webhooks.values()]
      .filter((webhook) => !history.creations.some((one) => hasStored(one, webhook)))
      .flatMap(({ createdFor }) => history.creations.filter(isFor(createdFor)))
      .filter(({ error }) => !["inDoubt", "leftBehind"].includes(`${error?.kind}`))
      .map(describe),

  "what is stored exists, with its secret, and is stored once": ({ service, history }) =>
    history.creations
      .filter(({ stored }) => stored)
      .filter((creation, at, all) => {
        const { id = "" } = creation.stored ?? {};
        const isFirst = all.findIndex(({ stored }) => stored?.id === id) === at;
        return !isFirst || !hasStored(creation, service.webhooks.get(id));
      })
      .map(describe),

  "a creation ends as its response and the engine say": (world) =>
    world.history.creations
      .filter((one) => !expectedEnds(world, one).includes(one.error?.kind ?? "stored"))
      .map(describe),

  "a deletion of an id in doubt fails": ({ history }) =>
    history.deletions
      .filter(({ webhook, beganAt }) =>
        inDoubt(history).some((named) => named.webhook.id === webhook.id && named.at < beganAt),
      )
      .filter(({ error }) => error?.kind !== "notDeleted")
      .map(describe),

  "what must stay stays": ({ service, resources, history }) =>
    resources
      .filter(({ kind }) => stayingKinds.includes(kind))
      .map(({ old }) => old?.webhook)
      .concat(service.unmanaged, webhooksOnlyInDoubt(history), history.imports)
      .filter((webhook) => webhook !== undefined)
      .filter((webhook) => webhook !== service.webhooks.get(webhook.id))
      .filter((webhook) => !history.vanished.has(webhook))
      .map(({ id }) => id),

  "what must go goes, or its deletion fails": ({ play, service, history }) =>
    history.deletions
      .filter(({ webhook, error }) => !error && webhook === service.webhooks.get(webhook.id))
      .filter(({ resource }) => ![...adoptingKinds, "import"].includes(resource.kind))
      // With listing, the list decides whether a webhook is absent.
      .filter(({ wasDenied }) => play.listing || !wasDenied)
      .filter(({ webhook, beganAt }) => !isNamedBefore(history, webhook.id, beganAt))
      .map(({ webhook }) => webhook.id),

  "a deletion fails only for a reason": ({ play, history }) =>
    play.stop === "none"
      ? history.deletions.filter((one) => one.error && !hasReason(history, one)).map(describe)
      : [],

  "an undo is sent whatever happens, and fails only if its request does": ({ history }) =>
    history.creations
      .filter(({ error }) => error?.kind === "leftBehind")
      .filter(({ resource }) => !adoptingKinds.includes(resource.kind))
      .filter(({ named }) => !named || !hasFailedToDelete(history, named.webhook, named.at))
      .map(describe),

  "an error in doubt names exactly the webhooks that the run does not know": (world) =>
    world.history.creations
      .filter(({ error, named }) => error?.kind === "inDoubt" && !named)
      .filter((creation) => !namesUnknownWebhooks(world, creation))
      .map(describe),

  "no secret and no path of a receiver is shown": ({ service, history, engine }) => {
    const { creations, deletions, lines } = history;
    const errors = [...creations, ...deletions].map(({ error }) => error?.message);
    const shown = [...errors, ...lines, ...engine.lines].join("\n");
    const values = service.all.flatMap(({ url, secret }) => [secret, url.replace(/.*443\//, "")]);
    return values.filter((value) => !/shared/.test(value) && shown.includes(value));
  },
};

const isFor = (number: number | undefined) => (one: Creation) => one.resource.number === number;

function describe({ resource, error }: Creation | Deletion): string {
  return `resource ${resource.number}: ${error?.message ?? "no error"}`;
}

function hasStored({ stored }: Creation, webhook: ServiceWebhook | undefined): boolean {
  return stored?.id === webhook?.id && stored?.secret === webhook?.secret;
}

/** Lists the ends that are right for a creation: the kinds of errors, or `stored`. */
function expectedEnds({ history, engine }: World, creation: Creation) {
  const { resource, named, beganAt, endedAt = 0 } = creation;
  if (adoptingKinds.includes(resource.kind)) {
    // An adoption leaves the webhook behind that it names, once the deletion of its old resource was spared.
    const hasLeftState = history.deletions.some(
      (one) => one.resource === resource && !one.error && one.endedAt && one.endedAt < endedAt,
    );
    return ["stored", hasLeftState ? "leftBehind" : "unchanged"];
  }
  if (!named) return ["notCreated", "inDoubt"];
  const { webhook, fault, at, engineIsGone } = named;
  const isKnown = knows(history, webhook.id, { since: beganAt, at });
  if (isKnown || fault === "noSecret" || fault === "unmanaged") return ["inDoubt"];
  if (fault === "unusableSecret" || engineIsGone) return ["undone", "leftBehind"];
  return engine.goneAt < endedAt ? ["undone", "leftBehind"] : ["stored"];
}

/**
 * Whether the run knew an id at one time, or learned of it until another. An id in doubt stays known: nothing tells
 * whether the new webhook came after the deletion of the old one.
 */
function knows(
  history: World["history"],
  id: string,
  { since, at }: { readonly since: number; readonly at: number },
): boolean {
  return (
    history.isKnown(id, since) ||
    history.isLearned(id, since, at) ||
    inDoubt(history).some((named) => named.webhook.id === id && named.at < at)
  );
}

/** Lists what the responses to creations in doubt named. */
function inDoubt({ creations }: World["history"]) {
  return creations.flatMap(({ error, named }) => (error?.kind === "inDoubt" && named) || []);
}

/** Lists the webhooks in doubt that the run neither deletes nor has created. */
function webhooksOnlyInDoubt(history: World["history"]): readonly ServiceWebhook[] {
  return inDoubt(history)
    .filter(({ webhook, at }) => !isNamedBefore(history, webhook.id, at))
    .map(({ webhook }) => webhook)
    .filter(({ id }) => !history.deletions.some(({ webhook }) => webhook.id === id));
}

/** Whether a response named this id before: the run then manages the webhook. */
function isNamedBefore({ creations }: World["history"], id: string, time: number): boolean {
  return creations.some(({ named }) => named?.webhook.id === id && named.at < time);
}

function hasReason(history: World["history"], deletion: Deletion): boolean {
  const { resource, webhook } = deletion;
  const isInDoubt = inDoubt(history).some((named) => named.webhook.id === webhook.id);
  const hasFailed = hasFailedToDelete(history, webhook, 0);
  const hasFailedToAdopt = history.creations.some((one) => one.resource === resource && one.error);
  const mustFail = ["elsewhere", "adoptUnknown"].includes(resource.kind);
  return isInDoubt || hasFailed || hasFailedToAdopt || mustFail;
}

function hasFailedToDelete(
  { sentDeletions }: World["history"],
  webhook: ServiceWebhook,
  after: number,
): boolean {
  return sentDeletions.some(
    ({ id, at, succeeded }) => id === webhook.id && at > after && !succeeded,
  );
}

/** Whether the ids in an error are those in a list that the provider received, without the known ones. */
function namesUnknownWebhooks({ play, history }: World, creation: Creation): boolean {
  const { resource, beganAt, endedAt = 0, error } = creation;
  const named = error?.message.match(/\b7\d{6}\b/g) ?? [];
  const pathOf = (url: unknown) => new URL(String(url)).pathname;
  const lists = history.lists.filter(({ at }) => at > beganAt && at < endedAt);
  const unknown = lists.map(({ at, webhooks }) =>
    webhooks
      .filter(
        ({ id, url }) =>
          pathOf(url) === pathOf(resource.args.url) && !knows(history, id, { since: beganAt, at }),
      )
      .map(({ id }) => id),
  );
  const mayHaveNoList = !play.listing || play.stop !== "none";
  return [...unknown, ...(mayHaveNoList ? [[]] : [])].some(
    (ids) => ids.toSorted().join() === named.toSorted().join(),
  );
}
