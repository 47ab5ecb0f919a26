// The options of the commands of `pulumi-dbwebhooks`. No error shows an argument but the name of an
// option: one may be an API key.
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { isIdentifier, webhookIdOf } from "../common/identifier.js";
import { isPlainText } from "../common/plain-text.js";
import { defaultApiKey } from "../local-service/options.js";
import type { ServeOptions } from "./serve.js";
import type { DeleteOptions } from "./webhooks/delete-command.js";
import type { ListOptions } from "./webhooks/list-command.js";
import type { StateOptions } from "./webhooks/states.js";

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

  --database ID            Lists this database alone. Repeatable. Default: those of the states.
  --stack STACK            Compares with this stack, through "pulumi stack export". Repeatable. As
                           the resource, - means that no Webhook of a given state has the webhook,
                           and ? that one may be about to have it.
  --state FILE             Compares with a saved output of that command. Repeatable.
  --json                   Prints JSON.
  --import DIRECTORY       Writes webhooks.json and import.json, to import the webhooks that no
                           given state has. Needs --stack or --state.

delete deletes a webhook at the service, without asking first.

  --database ID            The database of the webhook.
  --stack STACK            Refuses a webhook that this stack has, or may be about to. Repeatable.
  --state FILE             Refuses a webhook that this state has, or may be about to. Repeatable.

list and delete have their settings from the environment alone: DBWEBHOOKS_BASE_URL, to which the
key is sent, DBWEBHOOKS_API_KEY, DBWEBHOOKS_TIMEOUT_SECONDS and DBWEBHOOKS_RETRY_SECONDS. Exit code:
0 done, 1 failed, 2 wrong usage. docs/commands.md of the package describes both.

  --version                Shows the version.
  --help                   Shows this text.
`;

/** The options of a command line without a command. */
export const commonOptions = {
  version: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} satisfies ParseArgsOptionsConfig;

const stateOptions = {
  stack: { type: "string", multiple: true, default: [] },
  state: { type: "string", multiple: true, default: [] },
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
    ...stateOptions,
    json: { type: "boolean", default: false },
    import: { type: "string", multiple: true, default: [] },
    ...commonOptions,
  },
  delete: {
    database: { type: "string", multiple: true, default: [] },
    ...stateOptions,
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
  const { database: databaseIds, json: isJson, import: directories } = values;
  const { stack: stacks, state: stateFiles } = values;
  const hasStates = stacks.length + stateFiles.length > 0;
  const [importDirectory, secondDirectory] = directories;
  assertNoProblem([
    positionals.length > 0 && "list takes options, and no other argument.",
    databaseIds.length === 0 && !hasStates && "list needs --database, --stack or --state.",
    !databaseIds.every(isIdentifier) && databaseProblem,
    ...stateProblems({ stacks, stateFiles }),
    isJson && importDirectory !== undefined && "Use either --json or --import.",
    (importDirectory === "" || secondDirectory !== undefined) &&
      "--import must name one directory.",
    // Without a state, it would describe webhooks that a stack has.
    importDirectory !== undefined && !hasStates && "--import needs --stack or --state.",
  ]);
  return { databaseIds, stacks, stateFiles, isJson, importDirectory };
}

export function deleteOptionsOf({ values, positionals }: Parsed<"delete">): DeleteOptions {
  const { database: databaseIds, stack: stacks, state: stateFiles } = values;
  const [databaseId = "", secondDatabase] = databaseIds;
  const id = positionals.length === 1 ? webhookIdOf(positionals[0]) : undefined;
  assertNoProblem([
    id === undefined && "delete needs the id of one webhook, such as 42, without leading zeros.",
    !isIdentifier(databaseId) && databaseProblem,
    secondDatabase !== undefined && "delete takes one --database.",
    ...stateProblems({ stacks, stateFiles }),
  ]);
  return { databaseId, stacks, stateFiles, id: id ?? "" };
}

const databaseProblem = "--database must be the id of a database, such as base_abc123.";

/** Each entry is a problem, or `false`. */
function stateProblems({ stacks, stateFiles }: StateOptions): readonly (string | false)[] {
  return [
    !stacks.every((stack) => stack !== "" && isPlainText(stack)) &&
      "--stack must name a stack, such as dev or organization/orders/dev.",
    stateFiles.includes("") && "--state must name a file.",
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
