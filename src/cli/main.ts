#!/usr/bin/env node
import { assertNodeVersion } from "../common/node-version.js";
import { UsageError } from "./usage-error.js";

// Ignore a closed pipe (`… | head`).
process.stdout.on("error", () => {});

void main(process.argv.slice(2));

/** Exit codes: 0 done, 1 failed, 2 wrong usage. */
async function main(args: readonly string[]): Promise<void> {
  try {
    assertNodeVersion("pulumi-dbwebhooks", process.versions.node);
    // Loaded after the check: it may not run on an older Node.js.
    const { runCommand } = await import("./commands.js");
    await runCommand(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}
