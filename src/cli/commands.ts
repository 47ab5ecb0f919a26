import type { Option } from "./arguments.js";
import { emitOptions, serveOptions } from "./options.js";

/** A command of `pulumi-dbwebhooks`. */
export interface Command {
  readonly name: string;
  readonly usage: string;
  readonly description: string;
  readonly options: Readonly<Record<string, Option>>;
  readonly notes: string;
  /** Loads what executes it, and nothing before. */
  readonly load: () => Promise<(words: readonly string[]) => Promise<void>>;
}

/** All commands. */
export const commands: readonly Command[] = [
  {
    name: "serve",
    usage: "serve [options]",
    description: "Runs the local service: the webhook interface, without an account.",
    options: serveOptions,
    notes: "SIGINT (^C) and SIGTERM stop it. Exit code: 0 stopped, 1 failed, 2 wrong usage.",
    load: async () => (await import("./serve.js")).serve,
  },
  {
    name: "emit",
    usage: "emit EVENT --database ID [options]",
    description: "Makes an event happen in a local service, and says who was told.",
    options: emitOptions,
    notes: "Exit code: 0 all delivered in time, or --wait 0; 1 not; 2 wrong usage.",
    load: async () => (await import("./emit.js")).emit,
  },
];

/** What `--help` shows without a command. */
export function overview(): string {
  const lines = table(commands.map(({ name, description }) => [name, description]));
  return `Usage: pulumi-dbwebhooks COMMAND [options]

${lines}

COMMAND --help shows the options of a command, --version the version.
`;
}

/** What `--help` shows behind a command. */
export function helpOf({ usage, description, options, notes }: Command): string {
  const lines = table(
    Object.entries(options).map(([name, option]) => [
      option.value === undefined ? `--${name}` : `--${name} ${option.value}`,
      option.description,
    ]),
  );
  return `Usage: pulumi-dbwebhooks ${usage}

${description}

${lines}

${notes}
`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, description]) => `  ${name.padEnd(width)}  ${description}`).join("\n");
}
