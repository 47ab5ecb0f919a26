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

// With its permission model, Node.js throws the error of a server that may not listen where nothing
// can catch it.
process.on("uncaughtException", (error: NodeJS.ErrnoException) => {
  if (error.code === "ERR_ACCESS_DENIED") {
    fail(error);
  } else {
    // An error that this handler throws would change the exit code.
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  }
});

runCommandLine(process.argv.slice(2)).catch(fail);

function fail({ message }: Error): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
