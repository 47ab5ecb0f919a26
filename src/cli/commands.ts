import { Command } from "commander";
import { adviceForUnknownName } from "../common/nearest-name.js";
import { version } from "../common/version.js";
import { apiKeysVariable, defaultApiKey, defaultPort } from "./defaults.js";
import { UsageError } from "./usage-error.js";

/** A command that throws a {@link UsageError} for wrong usage. The message repeats no value. */
class CommandLine extends Command {
  override createCommand(name?: string): CommandLine {
    return new CommandLine(name);
  }

  override error(message: string): never {
    throw new UsageError(`${message} (see --help)`);
  }

  /** Called by Commander, whose own message would repeat the value of `--unknown=VALUE`. */
  unknownOption(word: string): never {
    const [name = ""] = /^-[^-]|^[^=]*/.exec(word) ?? [];
    const names = [...this.options.map(({ long }) => long ?? ""), "--help"];
    const problem = names.includes(name) ? "takes no value" : adviceForUnknownName(name, names);
    return this.error(`${name.slice(0, 100)} ${problem}`);
  }
}

/** The program `pulumi-dbwebhooks`. The code of a command is loaded when the command runs. */
const program: Command = new CommandLine("pulumi-dbwebhooks")
  .usage("COMMAND [options]")
  .description("Commands for the native plugin, and for trying webhooks without an account.")
  .version(version, "--version", "Shows the version.")
  .helpOption("--help", "Shows this text.")
  .helpCommand("help [COMMAND]", "Shows the options of a command.")
  .enablePositionalOptions();

program
  .command("serve")
  .description("Runs the local service: the webhook interface, without an account.")
  .helpOption("--help", "Shows this text.")
  .option("--port <PORT>", "TCP port, 0 for any free one.", String(defaultPort))
  .option("--host <ADDRESS>", "Address to listen on.", "127.0.0.1")
  .option(
    "--allow-remote",
    "Allows a --host that others can reach. Keys and secrets then travel in clear.",
  )
  .option(
    "--api-key <KEY>",
    `API key for all databases, or KEY=DATABASE,… for those named. Repeatable. Default: those of ${apiKeysVariable}, with spaces between them, or ${defaultApiKey}.`,
    (key: string, keys: readonly string[] = []) => [...keys, key],
  )
  .option("--data <FILE>", "Keeps webhooks and pending deliveries in this file. Default: memory.")
  .option("--listing", "Answers the list operation.")
  .option("--rate-limit <NUMBER>", "Requests per second of each key. Default: no limit.")
  .option(
    "--deliver-to <ORIGIN>",
    "Sends all notifications to this origin; paths stay as they are.",
  )
  .option("--allow-unknown-events", "Accepts event kinds beyond the nine.")
  .option("--json", "Writes everything that happens as JSON, one object a line.")
  .addHelpText(
    "after",
    "\nSIGINT (^C) and SIGTERM stop it. Exit code: 0 stopped, 1 failed, 2 wrong usage.",
  )
  .action(async (options) => (await import("./serve.js")).serve(options));

program
  .command("emit")
  .description("Makes an event happen in a local service, and shows its deliveries.")
  .helpOption("--help", "Shows this text.")
  .argument("<EVENT>", "Event kind, such as record.created.")
  .option("--database <ID>", "Database of the event. Required.")
  .option("--table <ID>", "Table of the event. Default: none.")
  .option("--data <JSON>", "Data of the notification, an object. Default: a sample.")
  .option("--id <ID>", "Identifier of the event. Default: a new one.")
  .option("--wait <SECONDS>", "How long to wait for the deliveries, 0 to 600.", "10")
  .option(
    "--url <URL>",
    `Base URL of the service. Default: DBWEBHOOKS_BASE_URL, or http://127.0.0.1:${defaultPort}.`,
  )
  .option(
    "--api-key <KEY>",
    `A key of the service. Default: DBWEBHOOKS_API_KEY, or ${defaultApiKey}. Required for an address that is neither loopback nor DBWEBHOOKS_BASE_URL over https.`,
  )
  .addHelpText(
    "after",
    "\nExit code: 0 all delivered in time, no webhook selects it, or --wait 0; 1 not; 2 wrong usage.",
  )
  .action(async (event, options) => (await import("./emit.js")).emit(event, options));

program
  .command("install-plugin")
  .description("Installs the native plugin of this package for the Pulumi CLI on PATH.")
  .helpOption("--help", "Shows this text.")
  .action(async () => (await import("./plugin.js")).installPlugin());

program
  .command("plugin-path")
  .description("Prints the folder of the native plugin.")
  .helpOption("--help", "Shows this text.")
  .action(async () => (await import("./plugin.js")).printPluginPath());

program
  .command("move-state")
  .description(
    "Moves a state to the native plugin: reads an export from stdin, writes it to stdout.",
  )
  .helpOption("--help", "Shows this text.")
  .action(async () => (await import("./move-state.js")).moveState());

/** Runs the command that these words name, to its end. */
export async function runCommand(words: readonly string[]): Promise<void> {
  if (words.length === 0) {
    throw new UsageError(`A command is missing.\n\n${program.helpInformation().trimEnd()}`);
  }
  const [name = ""] = words;
  const names = commands.map((command) => command.name());
  if (!/^-|^help$/.test(name) && !names.includes(name)) {
    // Commander would show its help, and no error, for a wrong name with --help.
    program.error(`${name.slice(0, 100)} ${adviceForUnknownName(name, names)}`);
  }
  await program.parseAsync(words, { from: "user" });
}

/** All commands. */
export const commands: readonly Command[] = program.commands;
