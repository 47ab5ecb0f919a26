#!/usr/bin/env node
import { problemOfNodeVersion } from "../common/node-version.js";
import { UsageError } from "./usage-error.js";

// Ignore a closed pipe (`… | head`).
process.stdout.on("error", () => {});

void main(process.argv.slice(2));

/** Exit codes: 0 done, 1 failed, 2 wrong usage. */
async function main(words: readonly string[]): Promise<void> {
  const problem = problemOfNodeVersion("pulumi-dbwebhooks", process.versions.node);
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    process.exitCode = 1;
    return;
  }
  try {
    // Loaded after the check: it may not run on an older Node.js.
    const { commands, program } = await import("./commands.js");
    if (words.length === 0) {
      throw new UsageError(`A command is missing.\n\n${program.helpInformation().trimEnd()}`);
    }
    const [name = ""] = words;
    if (!/^-|^help$/.test(name) && !commands.some((command) => command.name() === name)) {
      // Commander would show its help, and no error, for a wrong name with --help.
      program.error(`error: unknown command '${name}'`);
    }
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
