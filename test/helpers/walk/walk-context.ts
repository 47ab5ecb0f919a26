import { createWebhook } from "../local-service.ts";
import type { WalkServices } from "./accounts.ts";
import type { Agreement } from "./agreement.ts";
import type { EditContext } from "./edits.ts";
import type { WalkTargets } from "./random-command.ts";
import type { DeclaredWebhook, WalkProgram } from "./walk-program.ts";

/** Returns what edits need to know of the services and of the state. */
export function editContext({ first, second }: WalkServices, agreement: Agreement): EditContext {
  let count = 0;
  return {
    nextNumber: () => {
      count += 1;
      return count;
    },
    createByHand: async ({ databaseId, host, path, events, tableId, provider }) => {
      const ofProvider = provider === "second" ? second : first;
      const body = { url: `https://${host}/${path}`, events, tableId };
      const { json } = await createWebhook(ofProvider, { databaseId, body });
      agreement.addUnmanaged(ofProvider.baseUrl, json.id);
      return { id: json.id, secret: json.secret };
    },
    inState: (name) => {
      const [webhook, ...others] = agreement.inState.filter((stored) => stored.name === name);
      if (webhook === undefined || others.length > 0) return undefined;
      const { id, secret = "" } = webhook;
      return agreement.hasWebhook(id, secret) ? { id, secret } : undefined;
    },
  };
}

/** Returns the resources of the state that a command may name. */
export function targetsOf(
  program: WalkProgram,
  programBefore: WalkProgram,
  { inState, urns }: Agreement,
): WalkTargets {
  const changed = program.filter((webhook) => !programBefore.includes(webhook));
  const names = program
    .filter(({ urlFrom, flagFrom }) =>
      changed.some(({ name }) => [urlFrom, flagFrom].includes(name)),
    )
    .map(({ name }) => name);
  const dependents = inState.filter(({ name, urn }) => names.includes(name) && urns.includes(urn));
  return { urns, dependentsOfChanged: dependents.map(({ urn }) => urn) };
}

/** Removes `adopt` of webhooks that no longer exist, as a user would. */
export function withoutAdoptionOfDeleted(program: WalkProgram, agreement: Agreement): WalkProgram {
  return program.map((webhook) => {
    const { adopt } = webhook;
    const isDeleted = adopt !== undefined && !agreement.hasWebhook(adopt.id, adopt.secret);
    return isDeleted ? { ...webhook, adopt: undefined } : webhook;
  });
}

/** Whether the state has the webhook that this one adopts for it. */
export function adoptsItsOwn({ name, adopt }: DeclaredWebhook, { inState }: Agreement): boolean {
  const stored = inState.filter((one) => one.name === name);
  return stored.length === 1 && stored[0]?.id === adopt?.id && !stored[0]?.isPendingReplacement;
}

/** Whether no webhook of the program is still to be adopted. */
export function isEveryAdoptionDone(program: WalkProgram, agreement: Agreement): boolean {
  return program.every(
    (webhook) => webhook.adopt === undefined || adoptsItsOwn(webhook, agreement),
  );
}
