#!/usr/bin/env node
// The command `pulumi-dbwebhooks`, which runs the local service.
import { assertNodeVersion } from "../common/node-version.js";

// Ignore the error of a pipe that its reader has closed, such as `head`.
process.stdout.on("error", () => {});

void main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  try {
    assertNodeVersion("pulumi-dbwebhooks");
    // Imported after the check, because the module may fail to load on an older Node.js.
    const { runCommandLine } = await import("./command-line.js");
    await runCommandLine(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
