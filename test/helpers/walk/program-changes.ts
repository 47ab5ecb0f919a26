import type { DeclaredWebhook, WalkProgram } from "./walk-program.ts";

/** Changes one webhook of a program. */
export function withChanges(
  program: WalkProgram,
  changed: string,
  change: (webhook: DeclaredWebhook) => Partial<DeclaredWebhook>,
): WalkProgram {
  return program.map((webhook) =>
    webhook.name === changed ? { ...webhook, ...change(webhook) } : webhook,
  );
}

/** Renames a webhook, also where other webhooks depend on it. */
export function withNewName(program: WalkProgram, oldName: string, newName: string): WalkProgram {
  const rename = (name: string) => (name === oldName ? newName : name);
  return program.map((webhook) => ({
    ...withDependencies(webhook, rename),
    name: rename(webhook.name),
  }));
}

/** Removes a webhook and what depends on it in other webhooks. */
export function withoutWebhook(program: WalkProgram, removed: string): WalkProgram {
  return program
    .filter(({ name }) => name !== removed)
    .map((webhook) => withDependencies(webhook, (name) => (name === removed ? undefined : name)));
}

/** Replaces the names of the resources on which a webhook depends, and removes those that get no new name. */
function withDependencies(
  { urlFrom, flagFrom, dependsOn, ...webhook }: DeclaredWebhook,
  newName: (name: string) => string | undefined,
): DeclaredWebhook {
  return {
    ...webhook,
    urlFrom: urlFrom && newName(urlFrom),
    flagFrom: flagFrom && newName(flagFrom),
    dependsOn: dependsOn.map(newName).filter((name) => name !== undefined),
  };
}
