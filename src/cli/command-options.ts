// The options of the commands of `pulumi-dbwebhooks`. No error shows an argument but the name of an
// option: one may be an API key.
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { isIdentifier, webhookIdOf } from "../common/identifier.js";
import { defaultApiKey } from "../local-service/options.js";
import type { ServeOptions } from "./serve.js";
import type { DeleteOptions } from "./webhooks/delete.js";
import type { ListOptions } from "./webhooks/list.js";

const defaultPort = "8787";

/** The text of `--help`. */
export const help = `Usage: pulumi-dbwebhooks serve [options]
       pulumi-dbwebhooks list [options]
       pulumi-dbwebhooks delete --database ID [options] WEBHOOK_ID

serve runs the local service: the webhook API, without an account. SIGINT (^C) and SIGTERM stop it.

  --port PORT              TCP port, 0 for any free one. Default: ${defaultPort}.
  --api-key KEY            API key that the service knows. Repeatable. Default: ${defaultApiKey}.
  --no-listing             Refuses the list operation with 405.
  --deliver-to ORIGIN      Sends all notifications to this origin; paths stay as they are.
  --allow-unknown-events   Accepts event types other than the nine documented ones.

list shows the webhooks of databases, and the resources that have them. A URL can be a credential.

  --database ID            Lists this database. Repeatable.
  --state FILE             Compares with a state, and lists its databases, too: the output of
                           "pulumi stack export", - for standard input. Repeatable. The last column
                           then has the resource; - means that no Webhook of a given state has it.
                           A resource of a type of your own does not count. If a program passes
                           databaseId as a secret, export with --show-secrets.
  --json                   Prints JSON. The status of a webhook is "listed", "missing" or, if the
                           list may be a part, "unknown"; "tables" is [] for all tables.
  --import DIRECTORY       Writes webhooks.json and import.json, to import the webhooks that no
                           given state has. Needs --state.

delete deletes a webhook at the service, without asking first.

  --database ID            The database of the webhook.
  --state FILE             Refuses a webhook that this state has. Repeatable.

list and delete have their settings from the environment alone: DBWEBHOOKS_BASE_URL, to which the
key is sent, DBWEBHOOKS_API_KEY, DBWEBHOOKS_TIMEOUT_SECONDS and DBWEBHOOKS_RETRY_SECONDS.

  --version                Shows the version.
  --help                   Shows this text.

Exit code: 0 done or stopped, 1 failed, 2 wrong usage. A deletion is done only if the service has
confirmed it, or a complete list does not show the webhook.
`;

/** The options of a command line without a command. */
export const commonOptions = {
  version: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} satisfies ParseArgsOptionsConfig;

/** The options of each command. */
export const commandOptions = {
  serve: {
    port: { type: "string", default: defaultPort },
    "api-key": { type: "string", multiple: true, default: [defaultApiKey] },
    "no-listing": { type: "boolean", default: false },
    "deliver-to": { type: "string" },
    "allow-unknown-events": { type: "boolean", default: false },
    ...commonOptions,
  },
  list: {
    database: { type: "string", multiple: true, default: [] },
    state: { type: "string", multiple: true, default: [] },
    json: { type: "boolean", default: false },
    import: { type: "string", multiple: true, default: [] },
    ...commonOptions,
  },
  delete: {
    database: { type: "string", multiple: true, default: [] },
    state: { type: "string", multiple: true, default: [] },
    ...commonOptions,
  },
} satisfies Readonly<Record<string, ParseArgsOptionsConfig>>;

export type CommandName = keyof typeof commandOptions;

/** Parses arguments. Throws on wrong usage. */
export function parseWith<Options extends ParseArgsOptionsConfig>(
  options: Options,
  args: readonly string[],
) {
  return parseArgs({ args: [...args], options, allowPositionals: true });
}

type Parsed<Command extends CommandName> = ReturnType<
  typeof parseWith<(typeof commandOptions)[Command]>
>;

export function serveOptionsOf({ values, positionals }: Parsed<"serve">): ServeOptions {
  const { "api-key": apiKeys, "deliver-to": deliverTo } = values;
  const port = /^\d+$/.test(values.port) ? Number(values.port) : Number.NaN;
  assertNoProblem([
    positionals.length > 0 && "serve takes options, and no other argument.",
    !(port <= 65_535) && "--port must be a number from 0 to 65535.",
    deliverTo !== undefined &&
      !isOrigin(deliverTo) &&
      "--deliver-to must be an origin without a path, such as http://127.0.0.1:3000.",
  ]);
  return {
    port,
    apiKeys,
    listing: !values["no-listing"],
    allowUnknownEvents: values["allow-unknown-events"],
    ...(deliverTo !== undefined && { deliverTo }),
  };
}

export function listOptionsOf({ values, positionals }: Parsed<"list">): ListOptions {
  const { database: databaseIds, state: stateFiles, json: isJson, import: directories } = values;
  const [importDirectory, secondDirectory] = directories;
  assertNoProblem([
    positionals.length > 0 && "list takes options, and no other argument.",
    databaseIds.length + stateFiles.length === 0 && "list needs --database or --state.",
    !databaseIds.every(isIdentifier) && databaseProblem,
    ...stateProblems(stateFiles),
    isJson && importDirectory !== undefined && "Use either --json or --import.",
    (importDirectory === "" || secondDirectory !== undefined) &&
      "--import must name one directory.",
    // Without a state, it would describe webhooks that a stack has.
    importDirectory !== undefined && stateFiles.length === 0 && "--import needs --state.",
  ]);
  return { databaseIds, stateFiles, isJson, importDirectory };
}

export function deleteOptionsOf({ values, positionals }: Parsed<"delete">): DeleteOptions {
  const { database: databaseIds, state: stateFiles } = values;
  const [databaseId = "", secondDatabase] = databaseIds;
  const id = positionals.length === 1 ? webhookIdOf(positionals[0]) : undefined;
  assertNoProblem([
    id === undefined && "delete needs the id of one webhook, such as 42, without leading zeros.",
    !isIdentifier(databaseId) && databaseProblem,
    secondDatabase !== undefined && "delete takes one --database.",
    ...stateProblems(stateFiles),
  ]);
  return { databaseId, stateFiles, id: id ?? "" };
}

const databaseProblem = "--database must be the id of a database, such as base_abc123.";

/** Each entry is a problem, or `false`. */
function stateProblems(files: readonly string[]): readonly (string | false)[] {
  return [
    files.includes("") && "--state must name a file.",
    files.indexOf("-") !== files.lastIndexOf("-") && "Only one --state can be standard input.",
    files.includes("-") &&
      process.stdin.isTTY === true &&
      'Standard input is a terminal: pipe the output of "pulumi stack export" into this command.',
  ];
}

/** Throws an error with all problems. */
function assertNoProblem(problems: readonly (string | false)[]): void {
  const found = problems.filter((problem) => problem !== false);
  if (found.length > 0) {
    throw new Error(found.join("\n"));
  }
}

/** Whether a URL has nothing after its host and port. It may have user info. */
function isOrigin(text: string): boolean {
  const { protocol, pathname, search, hash } = URL.parse(text) ?? {};
  return /^https?:$/.test(protocol ?? "") && `${pathname}${search}${hash}` === "/";
}
