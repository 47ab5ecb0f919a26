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

const promises: Readonly<Record<string, (world: World) => readonly string[]>> = {
  "each webhook is stored, or its creation says that it may exist": ({ service, history }) =>
    [...Map.groupBy(service.webhooks.values(), ({ createdFor }) => createdFor)]
      .filter(([createdFor]) => createdFor !== undefined)
      .filter(([createdFor, webhooks]) => {
        const creations = history.creations.filter(isFor(createdFor));
        const unstored = webhooks.filter((one) => !creations.some((made) => hasStored(made, one)));
        return unstored.length > creations.filter(mayHaveLeftWebhook).length;
      })
      .flatMap(([createdFor]) => history.creations.filter(isFor(createdFor)).map(describe)),

  "the first repetition of a creation that may have left a webhook shows its error": ({
    history,
  }) =>
    history.creations
      .filter((one) => mayHaveLeftWebhook(one) && isRepeated(history, one))
      .filter(({ error }) => !history.lines.includes(`warning: ${error?.message}`))
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
      .map((one) => `${describe(one)} (expected: ${expectedEnds(world, one).join(" or ")})`),

  "what must stay stays": ({ play, service, resources, history }) =>
    resources
      .filter(({ kind }) => kind === "keep" || (play.hasUrns && kind === "deleteDuplicate"))
      .map(({ old }) => old?.webhook)
      .concat(service.unmanaged, webhooksOnlyInDoubt(history), history.imports)
      .filter((webhook) => webhook !== undefined)
      .filter((webhook) => webhook !== service.webhooks.get(webhook.id))
      .map(({ id }) => id)
      // An existing webhook that the service returned before the provider could know it cannot be
      // told from a new one.
      .filter((id) => !history.creationsWithNewId(id).some(isUndo)),

  "what must go goes, or its deletion fails": ({ play, service, history }) =>
    history.deletions
      .filter(({ webhook, error }) => !error && webhook === service.webhooks.get(webhook.id))
      .filter(({ webhook }) => !history.imports.includes(webhook))
      .filter(({ wasDenied }) => !wasDenied || hasUsableLists(play))
      .filter(({ webhook, beganAt }) => !isNamedBefore(history, webhook.id, beganAt))
      .map(({ webhook }) => webhook.id),

  "a webhook that lives on leaves the state only with a warning": ({ service, history }) =>
    history.deletions
      .filter(({ webhook, error }) => !error && webhook === service.webhooks.get(webhook.id))
      .filter(({ webhook }) => !hasWarning(history, webhook.id))
      .map(({ webhook }) => webhook.id),

  "a deletion fails only for a reason": ({ play, history }) =>
    play.stop === "none"
      ? history.deletions.filter((one) => one.error && !hasReason(play, history, one)).map(describe)
      : [],

  "an undo is sent whatever happens, and fails only if its request does": ({ history }) =>
    history.creations
      .filter(({ error }) => error?.kind === "leftBehind")
      .filter(({ named }) => !named || !hasFailedToDelete(history, named.webhook, named.at))
      .map(describe),

  "no secret and no path of a receiver is shown": ({ service, history }) => {
    const { creations, deletions, lines } = history;
    const errors = [...creations, ...deletions].map(({ error }) => error?.message);
    const shown = [...errors, ...lines].join("\n");
    const values = service.all.flatMap(({ url, secret }) => [
      secret,
      new URL(url).pathname.slice(1),
    ]);
    return values.filter((value) => shown.includes(value));
  },
};

const mayHaveLeftWebhook = ({ error }: Creation) =>
  ["inDoubt", "leftBehind"].includes(`${error?.kind}`);

/** Whether Pulumi has asked for the same creation again. */
const isRepeated = ({ creations }: World["history"], { resource, endedAt = 0 }: Creation) =>
  creations.some((one) => one.resource === resource && one.beganAt > endedAt);

const isUndo = ({ error }: Creation) => ["undone", "leftBehind"].includes(`${error?.kind}`);

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
  const earlier = history.creations.filter(
    (one) => one.resource === resource && one.beganAt < beganAt,
  );
  if (earlier.some(mayHaveLeftWebhook)) {
    return named ? [] : ["unchanged"];
  }
  if (!named) {
    return ["notCreated", "inDoubt"];
  }
  const { webhook, fault, at, engineIsGone } = named;
  const isKnown = history.hasMet(webhook.id, at);
  if (isKnown || ["noSecret", "unmanaged", "unusableSecret"].includes(fault)) {
    return ["inDoubt"];
  }
  if (engineIsGone) {
    return ["undone", "leftBehind"];
  }
  return engine.goneAt < endedAt ? ["undone", "leftBehind"] : ["stored"];
}

/** Lists what the responses to creations in doubt named. */
function inDoubt({ creations }: World["history"]) {
  return creations.flatMap(({ error, named }) => (error?.kind === "inDoubt" && named) || []);
}

/** Lists the webhooks in doubt that the command neither deletes nor has created. */
function webhooksOnlyInDoubt(history: World["history"]): readonly ServiceWebhook[] {
  return inDoubt(history)
    .filter(({ webhook, at }) => !isNamedBefore(history, webhook.id, at))
    .map(({ webhook }) => webhook)
    .filter(({ id }) => !history.deletions.some(({ webhook }) => webhook.id === id));
}

/** Whether a response named this id before: the command then manages the webhook. */
function isNamedBefore({ creations }: World["history"], id: string, time: number): boolean {
  return creations.some(({ named }) => named?.webhook.id === id && named.at < time);
}

function hasReason(play: World["play"], history: World["history"], deletion: Deletion): boolean {
  const { webhook, isDuplicate } = deletion;
  return (play.hasUrns && isDuplicate) || hasFailedToDelete(history, webhook, 0);
}

/** Whether a list decides about a webhook that a response calls absent. */
function hasUsableLists({ listing, canList, faults }: World["play"]): boolean {
  return listing !== false && canList && !faults.includes("cached");
}

function hasWarning({ lines }: World["history"], id: string): boolean {
  return lines.some((line) => line.startsWith("warning: ") && line.includes(id));
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
