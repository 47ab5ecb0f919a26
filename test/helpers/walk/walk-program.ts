import { join } from "node:path";
import { writeJson } from "../directory.ts";
import { type Choose, isChosen, oneOf, someOf, weighted } from "./random.ts";

/**
 * The explicit providers: one with the service of the default provider, and one with a second
 * service.
 */
export const providerNames = ["same", "second"] as const;

export type ProviderName = (typeof providerNames)[number];

/** A webhook as the program of a walk declares it. */
export interface DeclaredWebhook {
  readonly name: string;
  /** The host of its url. A renamed resource keeps it, and no other webhook has it. */
  readonly host: string;
  /** The path of its url. */
  readonly path: number;
  readonly databaseId: string;
  readonly events: readonly string[];
  readonly tableId?: string | undefined;
  /** The resource whose id is a part of the url. */
  readonly urlFrom?: string | undefined;
  /** The resource on whose id `allowUnknownEvents` depends, which replaces nothing. */
  readonly flagFrom?: string | undefined;
  readonly dependsOn: readonly string[];
  readonly deleteBeforeReplace: boolean;
  readonly ignoreChanges: readonly string[];
  /** Its former names. */
  readonly aliases: readonly string[];
  readonly provider?: ProviderName | undefined;
}

/**
 * The webhooks in the order in which the program declares them. They depend on earlier ones only.
 */
export type WalkProgram = readonly DeclaredWebhook[];

export const events = ["record.created", "record.updated", "table.updated"];
export const tables = [undefined, "tbl_1", "tbl_2"];
const databases = ["base_1", "base_2"];

/**
 * Returns a webhook with random arguments and options, which may depend on the earlier webhooks.
 */
export function randomWebhook(
  choose: Choose,
  number: number,
  earlier: WalkProgram,
): DeclaredWebhook {
  return {
    name: `hook-${number}`,
    host: `hook-${number}.example.com`,
    path: 0,
    databaseId: oneOf(choose, databases),
    events: [oneOf(choose, events)],
    tableId: oneOf(choose, tables),
    aliases: [],
    provider: isChosen(choose, 60) ? undefined : oneOf(choose, providerNames),
    ...randomOptions(choose, earlier),
  };
}

/** Returns random dependencies and options. */
export function randomOptions(choose: Choose, earlier: WalkProgram) {
  const names = earlier.map(({ name }) => name);
  const from = names.length > 0 ? oneOf(choose, names) : undefined;
  // Not both: a url from another resource is always a difference.
  const argument = weighted(choose, [
    [3, "url"],
    [5, "flag"],
    [2, undefined],
  ]);
  return {
    urlFrom: argument === "url" ? from : undefined,
    flagFrom: argument === "flag" ? from : undefined,
    dependsOn: someOf(choose, names),
    deleteBeforeReplace: isChosen(choose, 50),
    ignoreChanges: isChosen(choose, 15) ? [oneOf(choose, ["url", "events", "tableId"])] : [],
  };
}

/** The name of the file from which {@link textOfProgram} reads its resources. */
const fileName = "walk.json";

/** The modules of the two providers. */
export const entries = ["pulumi-dbwebhooks", "pulumi-dbwebhooks/native"] as const;

export type Entry = (typeof entries)[number];

const types = ["pulumi-nodejs:dynamic/dbwebhooks:Webhook", "dbwebhooks:index:Webhook"];

/** A program in JavaScript, which needs no compiler, with the resources of this module. */
export const textOfProgram = (entry: Entry) => `
const { Provider, Webhook } = require("${entry}");
const { providers, webhooks } = require("./${fileName}");
const declared = {};
for (const [name, args] of Object.entries(providers)) {
  declared[name] = new Provider(name, args);
}
for (const { name, args, urlFrom, flagFrom, dependsOn, provider, opts } of webhooks) {
  const addTo = (id) => args.url + "?from=" + encodeURIComponent(id);
  const url = urlFrom ? declared[urlFrom].id.apply(addTo) : args.url;
  const allowUnknownEvents = flagFrom && declared[flagFrom].id.apply(() => true);
  declared[name] = new Webhook(name, { ...args, url, allowUnknownEvents }, {
    ...opts,
    dependsOn: dependsOn.map((other) => declared[other]),
    provider: declared[provider],
  });
}
`;

/** Writes the webhooks, and the explicit providers that they use, for {@link textOfProgram}. */
export async function writeProgram(
  directory: string,
  program: WalkProgram,
  providerArgs: Readonly<Record<ProviderName, object>>,
): Promise<void> {
  const used = providerNames.filter((name) => program.some(({ provider }) => provider === name));
  const providers = Object.fromEntries(used.map((name) => [name, providerArgs[name]]));
  const webhooks = program.map((webhook) => {
    const { name, host, path, databaseId, tableId, urlFrom, flagFrom, dependsOn } = webhook;
    const { provider, deleteBeforeReplace, ignoreChanges } = webhook;
    // With its type, because the resource may move to the other provider in the same command.
    const aliases = webhook.aliases.flatMap((alias) =>
      types.map((type) => ({ name: alias, type })),
    );
    const args = { databaseId, url: `https://${host}/${path}`, events: webhook.events, tableId };
    const opts = { deleteBeforeReplace, ignoreChanges, aliases };
    return { name, args, urlFrom, flagFrom, dependsOn, provider, opts };
  });
  await writeJson(join(directory, fileName), { providers, webhooks });
}
