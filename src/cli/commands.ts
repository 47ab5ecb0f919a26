import { Command, CommanderError } from "commander";
import { serveApiKeysVariable } from "../common/setting-names.js";
import { version } from "../common/version.js";
import { defaultApiKey, defaultPort, UsageError } from "./options.js";

const program = new Command("pulumi-dbwebhooks")
  .usage("COMMAND [options]")
  .description("Commands for the native plugin, and for trying webhooks without an account.")
  .version(version, "--version", "Shows the version.")
  .helpOption("--help", "Shows this text.")
  .helpCommand("help [COMMAND]", "Shows the options of a command.")
  .showHelpAfterError("(see --help)")
  .configureOutput({ outputError: (message, write) => write(withoutValue(message)) })
  .exitOverride();

program
  .command("serve")
  .description("Runs the local service: the webhook API, without an account.")
  .option("--port <PORT>", "TCP port, 0 for any free one.", String(defaultPort))
  .option("--host <ADDRESS>", "Address to listen on.", "127.0.0.1")
  .option(
    "--allow-remote",
    "Allows a --host that others can reach. Keys and secrets then travel in clear text.",
  )
  .option(
    "--api-key <KEY>",
    `API key for all databases, or KEY=DATABASE,… for the named ones. Repeatable. Default: the keys in ${serveApiKeysVariable}, separated by spaces, or ${defaultApiKey}.`,
    collect,
  )
  .option("--data <FILE>", "Keeps the webhooks in this file. Default: memory.")
  .option("--listing", "Supports the list operation.")
  .option("--rate-limit <NUMBER>", "Requests per second of each key. Default: no limit.")
  .option(
    "--deliver-to <ORIGIN>",
    "Sends all notifications to this origin; paths stay as they are.",
  )
  .option("--allow-unknown-events", "Accepts event types other than the nine documented ones.")
  .option("--json", "Writes the log as JSON, one object per line.")
  .addHelpText(
    "after",
    "\nSIGINT (^C) and SIGTERM stop it. Exit code: 0 stopped, 1 failed, 2 wrong usage.",
  )
  .action(async (options) => (await import("./serve.js")).serve(options));

program
  .command("emit")
  .description("Emits an event in a local service, and shows its deliveries.")
  .argument("<EVENT>", "Event type, such as record.created.")
  .requiredOption("--database <ID>", "Database of the event. Required.")
  .option(
    "--table <ID>",
    "Table of the event. Default: none, so webhooks with a tableId do not get it.",
  )
  .option("--data <JSON>", "Data of the notification, an object. Default: a sample.")
  .option("--id <ID>", "Identifier of the event. Default: a new one.")
  .option("--wait <SECONDS>", "How long to wait for the deliveries, 0 to 600.", "10")
  .option(
    "--url <URL>",
    `Base URL of the service. Default: DBWEBHOOKS_BASE_URL, or http://127.0.0.1:${defaultPort}.`,
  )
  .option(
    "--api-key <KEY>",
    `A key of the service. Default: the first of ${serveApiKeysVariable}, or ${defaultApiKey}.`,
    collect,
  )
  .addHelpText(
    "after",
    "\nExit code: 0 if all deliveries succeeded in time, no webhook subscribes to the event, or --wait is 0; 1 otherwise; 2 for wrong usage.",
  )
  .action(async (event, options) => (await import("./emit.js")).emit(event, options));

program
  .command("install-plugin")
  .description("Installs the native plugin of this package for the Pulumi CLI on PATH.")
  .action(async () => (await import("./plugin.js")).installPlugin());

program
  .command("plugin-path")
  .description("Prints the directory of the native plugin.")
  .action(async () => (await import("./plugin.js")).printPluginPath());

program
  .command("move-state")
  .description(
    "Moves a state to the native plugin: reads an export from stdin, writes it to stdout.",
  )
  .action(async () => (await import("./move-state.js")).moveState());

/** All commands of `pulumi-dbwebhooks`. */
export const commands: readonly Command[] = program.commands;

for (const command of commands) {
  command.configureOutput({
    outputError: (message, write) => write(withFlagNamed(command, withoutValue(message))),
  });
}

/**
 * Runs the command that the arguments name, and imports only the modules of that command. Wrong usage sets
 * the exit code to 2; any other error is thrown.
 */
export async function runCommand(args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(withoutHelp(args), { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already written its message, or the requested help.
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 2;
    } else {
      throw error;
    }
  }
}

/** Removes "help" before an unknown command, about which Commander would otherwise not say that it is unknown. */
function withoutHelp(args: readonly string[]): readonly string[] {
  const [command, name] = args;
  const isKnown = name === undefined || commands.some((known) => known.name() === name);
  return command === "help" && !isKnown ? args.slice(1) : args;
}

/** Gathers the values of an option that can be repeated. */
function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

/**
 * Removes the value of an unknown option from Commander's message, because it may be an API key:
 * `unknown option '--key=abc'` becomes `unknown option '--key=…'`, and `'-kabc'` becomes `'-k…'`.
 */
function withoutValue(message: string): string {
  return message.replace(/('-\w|=).*'/s, "$1…'");
}

/** Says of a flag with a value that it takes none, because Commander calls it unknown. */
function withFlagNamed({ options }: Command, message: string): string {
  const [, name] = /unknown option '(--[\w-]+)=/.exec(message) ?? [];
  const isFlag = options.some(({ long, required }) => long === name && !required);
  return isFlag ? `error: option '${name}' takes no value\n` : message;
}
