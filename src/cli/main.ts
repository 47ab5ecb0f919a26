#!/usr/bin/env node
// The command `pulumi-dbwebhooks`, which runs the local service.
import { runCommandLine } from "./command-line.js";

// Ignore the error of a pipe that its reader has closed, such as `head`.
process.stdout.on("error", () => {});

runCommandLine(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
