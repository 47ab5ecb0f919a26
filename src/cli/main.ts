#!/usr/bin/env node
import { version } from "../common/version.js";
import { UsageError } from "./arguments.js";
import { type Command, commands, helpOf, overview } from "./commands.js";

// A reader that goes away (`… | head`) is no reason to stop, or to fail.
process.stdout.on("error", () => {});

void main(process.argv.slice(2));

/** Exit codes: 0 done, 1 failed, 2 wrong usage. */
async function main([name, ...words]: readonly string[]): Promise<void> {
  try {
    if (name === "--version") {
      process.stdout.write(`${version}\n`);
    } else if (name === "--help" || name === "help") {
      process.stdout.write(overview());
    } else if (name === undefined) {
      throw new UsageError(`A command is missing.\n\n${overview().trimEnd()}`);
    } else {
      await run(commandNamed(name), words);
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

async function run(command: Command, words: readonly string[]): Promise<void> {
  if (words.includes("--help")) {
    process.stdout.write(helpOf(command));
    return;
  }
  const execute = await command.load();
  await execute(words);
}

function commandNamed(name: string): Command {
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    const known = [...commands.map((one) => one.name), "--help", "--version"];
    throw UsageError.unknown(name.startsWith("-") ? "option" : "command", name, known);
  }
  return command;
}
