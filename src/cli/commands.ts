import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { adviceForUnknownName } from "../common/nearest-name.js";
import { shownValue } from "../common/plain-text.js";
import { version } from "../common/version.js";
import { defaultApiKey } from "../local-service/options.js";

/** The default port of `serve`. */
const defaultPort = "8787";

/** An invalid argument of a command: the exit code is 2. */
class UsageError extends Error {}

const help = `Usage: pulumi-dbwebhooks COMMAND [options]

Commands for the plugin, and for trying webhooks without an account.

  serve            Runs the local service: the webhook API, without an account.
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
  --api-key KEY            API key that the service knows. Repeatable. Default: ${defaultApiKey}.
  --listing                Supports the list operation.
  --deliver-to ORIGIN      Sends all notifications to this origin; paths stay as they are.
  --allow-unknown-events   Accepts event types other than the nine documented ones.
  --help                   Shows this text.

Exit code: 0 stopped, 1 failed, 2 wrong usage.
`,
    options: {
      port: { type: "string", default: defaultPort },
      "api-key": { type: "string", multiple: true, default: [defaultApiKey] },
      listing: { type: "boolean", default: false },
      "deliver-to": { type: "string" },
      "allow-unknown-events": { type: "boolean", default: false },
    },
    run: async ({ port, listing, ...values }) => {
      const { serve } = await import("./serve.js");
      const deliverTo = values["deliver-to"];
      await serve({
        port: Number(port),
        apiKeys: values["api-key"],
        listing,
        allowUnknownEvents: values["allow-unknown-events"],
        ...(deliverTo !== undefined && { deliverTo }),
      });
    },
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
 * Runs the command that the arguments name, and imports only the modules of that command. Wrong
 * usage sets the exit code to 2; any other error is thrown.
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
  readonly options: Options;
  readonly run: (values: ValuesOf<Options>) => Promise<void>;
}): Command {
  const { help: text, options, run } = definition;
  return {
    help: text,
    options,
    run: async (args) => {
      if (args.includes("--help")) {
        process.stdout.write(text);
        return;
      }
      const { values, positionals } = parse(args, options);
      if (positionals.length > 0) {
        // Does not show the arguments: one may be an API key.
        throw new UsageError("Expected no argument besides the options.");
      }
      await run(values);
    },
  };
}

/**
 * Throws a UsageError in the words of `parseArgs`, which name an option and never show its value.
 */
function parse<Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
