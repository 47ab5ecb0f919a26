import { oneLine } from "./redact.js";

/** Shows one line to the person who runs Pulumi: the engine prints what its providers write. */
export function notify(line: string): void {
  process.stderr.write(`${oneLine(line, 1_000)}\n`);
}
