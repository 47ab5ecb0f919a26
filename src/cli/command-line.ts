import { version } from "../common/version.js";
import {
  commandOptions,
  commonOptions,
  deleteOptionsOf,
  help,
  listOptionsOf,
  parseWith,
  serveOptionsOf,
} from "./command-options.js";
import type { ServeOptions } from "./serve.js";
import type { DeleteOptions } from "./webhooks/delete.js";
import type { ListOptions } from "./webhooks/list.js";

/** The functions that perform the commands. */
interface Commands {
  readonly serve: (options: ServeOptions) => Promise<void>;
  readonly list: (options: ListOptions) => Promise<void>;
  readonly delete: (options: DeleteOptions) => Promise<void>;
}

/** Each command loads only what it needs: the local service, or the provider. */
const lazyCommands: Commands = {
  serve: async (options) => (await import("./serve.js")).serve(options),
  list: async (options) => (await import("./webhooks/list.js")).list(options),
  delete: async (options) => (await import("./webhooks/delete.js")).deleteWebhook(options),
};

/**
 * Runs `pulumi-dbwebhooks` with these arguments. Wrong usage sets the exit code to 2; any other
 * error is thrown.
 */
export async function runCommandLine(
  args: readonly string[],
  commands = lazyCommands,
): Promise<void> {
  let perform: () => Promise<void>;
  try {
    perform = parse(args, commands);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 2;
    return;
  }
  await perform();
}

/** Returns what to do. Throws on wrong usage. */
function parse([command, ...args]: readonly string[], commands: Commands): () => Promise<void> {
  switch (command) {
    case "serve":
      return performing(parseWith(commandOptions.serve, args), serveOptionsOf, commands.serve);
    case "list":
      return performing(parseWith(commandOptions.list, args), listOptionsOf, commands.list);
    case "delete":
      return performing(parseWith(commandOptions.delete, args), deleteOptionsOf, commands.delete);
    case undefined:
      throw new Error(help.trimEnd());
    default:
      return performing(parseWith(commonOptions, [command, ...args]), refuseOtherCommand);
  }
}

interface Parsed {
  readonly values: { readonly help: boolean; readonly version: boolean };
}

/** Returns a function that performs a command, or prints what --help and --version ask for. */
function performing<Given extends Parsed, Options>(
  parsed: Given,
  optionsOf: (parsed: Given) => Options,
  command?: (options: Options) => Promise<void>,
): () => Promise<void> {
  const { help: isHelp, version: isVersion } = parsed.values;
  if (isHelp || isVersion) {
    return async () => void process.stdout.write(isHelp ? help : `${version}\n`);
  }
  const options = optionsOf(parsed);
  return async () => command?.(options);
}

function refuseOtherCommand(): never {
  throw new Error("Expected serve, list or delete, its options, and no other argument.");
}
