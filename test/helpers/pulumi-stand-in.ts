import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dynamicWebhookType, pluginWebhookType } from "../../src/common/type-tokens.ts";

/** The database of the webhooks in these states. */
export const databaseId = "base_1";

/** Arguments of a command for this database, and for it and the stack `dev`. */
export const inDatabase = ["--database", databaseId];
export const ofStack = [...inDatabase, "--stack", "dev"];

/** Writes a shell script as the Pulumi CLI into a directory, and returns a PATH with it. */
export async function writePulumi(directory: string, script: string): Promise<string> {
  await writeFile(join(directory, "pulumi"), `#!/bin/sh\n${script}\n`);
  await chmod(join(directory, "pulumi"), 0o700);
  return `${directory}:${pathWithoutPulumi}`;
}

export const pathWithoutPulumi = "/usr/bin:/bin";

/** A CLI that prints a state. */
export function printing(state: string): string {
  return `cat <<'END'\n${state}\nEND`;
}

/** A CLI that prints one state of each stack the first time, and another one later. */
export function printingOnce(first: string, later: string): string {
  const isFirst = `mkdir "$0.$(echo "$3" | tr / _)" 2> /dev/null`;
  return `if ${isFirst}\nthen ${printing(first)}\nelse ${printing(later)}\nfi`;
}

/** A CLI that knows several stacks, each with a script of its own. */
export function ofStacks(scripts: Readonly<Record<string, string>>): string {
  const cases = Object.entries(scripts).map(([name, text]) => `--stack=${name}) ${text}\n;;`);
  return `case "$3" in ${cases.join("\n")}\nesac`;
}

/** A resource in a state, with a webhook of this id. */
export function resourceOf(baseUrl: string, id: string, changes: object = {}) {
  const outputs = { databaseId, baseUrl };
  return { urn: `urn:${id}`, type: pluginWebhookType, id, outputs, ...changes };
}

export function stateWith(...resources: readonly object[]): string {
  const manifest = { time: "2026-11-29T01:02:03.5+01:00" };
  return JSON.stringify({ version: 3, deployment: { manifest, resources } });
}

/** A state with creations in flight, by URN. */
export function pendingIn(databases: Readonly<Record<string, unknown>>, type = "creating"): string {
  const pending_operations = Object.entries(databases).map(([urn, database]) => {
    const resource = { urn, type: dynamicWebhookType, inputs: { databaseId: database } };
    return { type, resource };
  });
  return JSON.stringify({ version: 3, deployment: { pending_operations } });
}
