import { type ParseArgsConfig, parseArgs } from "node:util";
import { closest } from "fastest-levenshtein";

/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  /** Names the nearest of the names that are known. */
  static unknown(kind: "command" | "option", name: string, known: readonly string[]): UsageError {
    // What follows the name can be a value, and values can be secret.
    const shown = name.slice(0, 100).replace(/=.*/s, "");
    return new UsageError(
      `There is no ${kind} ${shown}; the nearest is ${closest(shown, known)}. See --help.`,
    );
  }
}

/** One option of a command, as it is read and as the help shows it. */
export interface Option {
  readonly type: "string" | "boolean";
  /** Whether it can be given several times. */
  readonly multiple?: boolean;
  /** Stands for the value in the help. */
  readonly value?: string;
  readonly description: string;
}

/** Reads the words behind a command's name; refuses what the command does not know. */
export function readArguments<const Options extends Readonly<Record<string, Option>>>(
  words: readonly string[],
  options: Options,
) {
  const config = { args: [...words], options, allowPositionals: true } satisfies ParseArgsConfig;
  refuseUnknownOptions(config);
  try {
    return parseArgs(config);
  } catch (error) {
    const [firstLine] = (error as Error).message.split("\n");
    throw new UsageError(`${firstLine?.replace(/\.$/, "")}. See --help.`);
  }
}

function refuseUnknownOptions(config: ParseArgsConfig): void {
  const { tokens } = parseArgs({ ...config, strict: false, tokens: true });
  const names = Object.keys(config.options ?? {});
  const unknown = tokens.find((token) => token.kind === "option" && !names.includes(token.name));
  if (unknown?.kind === "option") {
    const known = [...names, "help"].map((name) => `--${name}`);
    throw UsageError.unknown("option", unknown.rawName, known);
  }
}
