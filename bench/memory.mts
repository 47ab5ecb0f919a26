import { readFileSync } from "node:fs";

/** Resident memory of a process in megabytes. */
export interface Memory {
  readonly now: number;
  /** The highest value that the kernel has seen. */
  readonly peak: number;
}

/** Reads the memory of a process; nothing when it has ended, and where there is no `/proc`. */
export function memoryOf(pid: number | string | undefined): Memory | undefined {
  const status = statusOf(pid);
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
  const memory = { now: read("VmRSS"), peak: read("VmHWM") };
  // A process that has ended, but is not waited for yet, has a status without memory.
  return Number.isNaN(memory.peak) ? undefined : memory;
}

function statusOf(pid: number | string | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
