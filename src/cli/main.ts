#!/usr/bin/env node
// The command `pulumi-dbwebhooks`.
import { runCommandLine } from "./command-line.js";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of a pipe, such as `head`, may close it.
  if (error.code !== "EPIPE") {
    fail(error);
  }
});
process.stderr.on("error", () => {});

runCommandLine(process.argv.slice(2)).catch(fail);

function fail({ message }: Error): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
