import type { ParseArgsOptionsConfig } from "node:util";
import { assertNodeVersion } from "../common/node-version.js";
import { version } from "../common/version.js";
import {
  type CommandName,
  commandOptions,
  commonOptions,
  deleteOptionsOf,
  help,
  listOptionsOf,
  parseWith,
  serveOptionsOf,
} from "./command-options.js";
import type { ServeOptions } from "./serve.js";
import type { DeleteOptions } from "./webhooks/delete-command.js";
import type { ListOptions } from "./webhooks/list-command.js";

/** The functions that perform the commands. */
interface Commands extends Record<CommandName, unknown> {
  readonly serve: (options: ServeOptions) => Promise<void>;
  readonly list: (options: ListOptions) => Promise<void>;
  readonly delete: (options: DeleteOptions) => Promise<void>;
}

/** Each command loads only what it needs: the local service, or the client of the API. */
const lazyCommands: Commands = {
  serve: async (options) => (await import("./serve.js")).serve(options),
  list: async (options) => (await import("./webhooks/list-command.js")).list(options),
  delete: async (options) =>
    (await import("./webhooks/delete-command.js")).deleteUnmanaged(options),
};

/**
 * Runs `pulumi-dbwebhooks` with these arguments. Wrong usage sets the exit code to 2; any other
 * error is thrown.
 */
export async function runCommandLine(
  args: readonly string[],
  commands = lazyCommands,
): Promise<void> {
  assertNodeVersion("pulumi-dbwebhooks");
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
function parse([name = "", ...args]: readonly string[], commands: Commands): () => Promise<void> {
  const parsers: Readonly<Record<CommandName | "", CommandParser>> = {
    serve: createParser(commandOptions.serve, serveOptionsOf, commands.serve),
    list: createParser(commandOptions.list, listOptionsOf, commands.list),
    delete: createParser(commandOptions.delete, deleteOptionsOf, commands.delete),
    "": () => {
      throw new Error(help.trimEnd());
    },
  };
  return Object.hasOwn(parsers, name)
    ? parsers[name as keyof typeof parsers](args)
    : createParser(commonOptions, refuseOtherCommand, async () => {})([name, ...args]);
}

/**
 * Creates the parser of a command, which also serves `--help` and `--version`.
 *
 * @param optionsOf Makes the options of the command, or throws an error with all problems.
 */
function createParser<Config extends CommandConfig, Options>(
  config: Config,
  optionsOf: (parsed: ReturnType<typeof parseWith<Config>>) => Options,
  command: (options: Options) => Promise<void>,
): CommandParser {
  return (args) => {
    const parsed = parseWith(config, args);
    const { help: isHelp, version: isVersion } = parsed.values as CommonValues;
    if (isHelp || isVersion) {
      return async () => void process.stdout.write(isHelp ? help : `${version}\n`);
    }
    const options = optionsOf(parsed);
    return () => command(options);
  };
}

/** Parses the arguments of a command, and returns what to do. Throws on wrong usage. */
type CommandParser = (args: readonly string[]) => () => Promise<void>;
type CommandConfig = typeof commonOptions & ParseArgsOptionsConfig;
type CommonValues = Readonly<Record<keyof typeof commonOptions, boolean>>;

function refuseOtherCommand(): never {
  const names = new Intl.ListFormat("en", { type: "disjunction" }).format(
    Object.keys(commandOptions),
  );
  throw new Error(`Expected ${names}, its options, and no other argument.`);
}
