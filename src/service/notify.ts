import { oneLine } from "../common/redact.js";

// When the engine is gone nobody reads this any more; what is being undone goes on all the same.
process.stderr.on("error", () => {});

/** Shows one line to the person who runs Pulumi: the engine prints what its providers write. */
export function notify(line: string): void {
  process.stderr.write(`${oneLine(line, 2_000)}\n`);
}
