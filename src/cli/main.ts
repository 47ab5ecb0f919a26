#!/usr/bin/env node
import { UsageError } from "./usage-error.js";

// A reader that goes away (`… | head`) is no reason to stop, or to fail.
process.stdout.on("error", () => {});

void main(process.argv.slice(2));

/** Exit codes: 0 done, 1 failed, 2 wrong usage. */
async function main(words: readonly string[]): Promise<void> {
  try {
    const { program } = await import("./commands.js");
    if (words.length === 0) {
      throw new UsageError(`A command is missing.\n\n${program.helpInformation().trimEnd()}`);
    }
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
