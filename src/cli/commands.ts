import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { adviceForUnknownName } from "../common/nearest-name.js";
import { shownValue } from "../common/redact.js";
import { serveApiKeysVariable } from "../common/setting-names.js";
import { version } from "../common/version.js";
import { defaultApiKey, defaultPort, UsageError } from "./options.js";

const help = `Usage: pulumi-dbwebhooks COMMAND [options]

Commands for the plugin, and for trying webhooks without an account.

  serve            Runs the local service: the webhook API, without an account.
  emit EVENT       Emits an event in a local service, and shows its deliveries.
  install-plugin   Installs the plugin of this package for the Pulumi CLI on PATH.
  plugin-path      Prints the directory of the plugin.

  --version        Shows the version.
  --help           Shows this text, or the options of a command.
`;

interface Command {
  readonly help: string;
  readonly options: ParseArgsOptionsConfig;
  readonly run: (args: readonly string[]) => Promise<void>;
}

/** All commands of `pulumi-dbwebhooks`. */
export const commands: Readonly<Record<string, Command>> = {
  serve: command({
    help: `Usage: pulumi-dbwebhooks serve [options]

Runs the local service: the webhook API, without an account. SIGINT (^C) and SIGTERM stop it.

  --port PORT              TCP port, 0 for any free one. Default: ${defaultPort}.
  --host ADDRESS           Address to listen on. Default: 127.0.0.1.
  --allow-remote           Allows a --host that other machines can reach. Keys and secrets
                           then travel in clear text.
  --api-key KEY            API key for all databases, or KEY=DATABASE,… for the named ones.
                           Repeatable. Default: the keys in ${serveApiKeysVariable},
                           separated by spaces, or ${defaultApiKey}.
  --listing                Supports the list operation.
  --deliver-to ORIGIN      Sends all notifications to this origin; paths stay as they are.
  --allow-unknown-events   Accepts event types other than the nine documented ones.
  --help                   Shows this text.

Exit code: 0 stopped, 1 failed, 2 wrong usage.
`,
    options: {
      port: { type: "string", default: String(defaultPort) },
      host: { type: "string", default: "127.0.0.1" },
      "allow-remote": { type: "boolean", default: false },
      "api-key": { type: "string", multiple: true },
      listing: { type: "boolean", default: false },
      "deliver-to": { type: "string" },
      "allow-unknown-events": { type: "boolean", default: false },
    },
    run: async (options) => (await import("./serve.js")).serve(options),
  }),
  emit: command({
    help: `Usage: pulumi-dbwebhooks emit EVENT --database ID [options]

Emits an event, such as record.created, in a local service, and shows its deliveries.

  --database ID    Database of the event. Required.
  --table ID       Table of the event. Default: none, so webhooks with a tableId do not get it.
  --data JSON      Data of the notification, an object. Default: a sample.
  --id ID          Identifier of the event. Default: a new one.
  --url URL        Base URL of the service. Default: DBWEBHOOKS_BASE_URL, or
                   http://127.0.0.1:${defaultPort}.
  --api-key KEY    A key of the service. Default: the first of ${serveApiKeysVariable},
                   or ${defaultApiKey}.
  --help           Shows this text.

Exit code: 0 if every webhook that subscribes to the event got it, 1 otherwise, 2 wrong usage.
`,
    parameter: "EVENT",
    options: {
      database: { type: "string" },
      table: { type: "string" },
      data: { type: "string" },
      id: { type: "string" },
      url: { type: "string" },
      "api-key": { type: "string", multiple: true },
    },
    run: async (options, type) => (await import("./emit.js")).emit(type, options),
  }),
  "install-plugin": command({
    help: `Usage: pulumi-dbwebhooks install-plugin

Installs the plugin of this package for the Pulumi CLI on PATH.
`,
    options: {},
    run: async () => (await import("./plugin.js")).installPlugin(),
  }),
  "plugin-path": command({
    help: `Usage: pulumi-dbwebhooks plugin-path

Prints the directory of the plugin.
`,
    options: {},
    run: async () => (await import("./plugin.js")).printPluginPath(),
  }),
};

/**
 * Runs the command that the arguments name, and imports only the modules of that command. Wrong usage sets
 * the exit code to 2; any other error is thrown.
 */
export async function runCommand([name, ...args]: readonly string[]): Promise<void> {
  try {
    if (name === "--help") {
      process.stdout.write(help);
    } else if (name === "--version") {
      process.stdout.write(`${version}\n`);
    } else if (name === undefined) {
      throw new UsageError(help.trimEnd());
    } else if (Object.hasOwn(commands, name)) {
      await commands[name]?.run(args);
    } else {
      const advice = adviceForUnknownName(name, Object.keys(commands));
      throw new UsageError(`The command "${shownValue(name)}" ${advice}.`);
    }
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}

type ValuesOf<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>["values"];

/** Makes a command that parses its arguments, and responds to `--help`. */
function command<const Options extends ParseArgsOptionsConfig>(definition: {
  readonly help: string;
  /** The one argument besides the options. Default: the command has none. */
  readonly parameter?: string;
  readonly options: Options;
  readonly run: (values: ValuesOf<Options>, argument: string) => Promise<void>;
}): Command {
  const { help: text, parameter, options, run } = definition;
  return {
    help: text,
    options,
    run: async (args) => {
      if (args.includes("--help")) {
        process.stdout.write(text);
        return;
      }
      const { values, positionals } = parse(args, options);
      const [argument = ""] = positionals;
      if (positionals.length !== (parameter === undefined ? 0 : 1)) {
        // Does not show the arguments: one may be an API key.
        const expected = parameter === undefined ? "no argument" : `one ${parameter}`;
        throw new UsageError(`Expected ${expected} besides the options.`);
      }
      await run(values, argument);
    },
  };
}

/** Throws a UsageError in the words of `parseArgs`, which name an option and never show its value. */
function parse<Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
