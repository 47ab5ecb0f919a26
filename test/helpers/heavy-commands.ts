import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "./directory.ts";

/**
 * The commands of the Pulumi CLI that run an engine and providers, which is most of what the tiers
 * with the CLI cost.
 */
const heavyCommands = ["up", "preview", "refresh", "destroy", "import"];

/** Vitest's global set-up: prints at the end how many heavy commands the tests have run. */
export function setup(): () => Promise<void> {
  const directory = temporaryDirectory();
  const file = join(directory.path, "commands");
  writeFileSync(file, "");
  // Worker processes inherit it.
  process.env.HEAVY_COMMANDS_FILE = file;
  return () => {
    const count = readFileSync(file, "utf8").split("\n").length - 1;
    if (count > 0) {
      process.stdout.write(`${count} heavy commands of the Pulumi CLI\n`);
    }
    return directory.remove();
  };
}

/** Counts a command if it is a heavy one. */
export function countHeavyCommand(command: string, [subcommand = ""]: readonly string[]): void {
  const { HEAVY_COMMANDS_FILE: file } = process.env;
  if (file && command === "pulumi" && heavyCommands.includes(subcommand)) {
    appendFileSync(file, `${subcommand}\n`);
  }
}
