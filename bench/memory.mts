import { globSync, readFileSync, readlinkSync } from "node:fs";

const sampleEveryMs = 50;
const provider = /pulumi-resource-dbwebhooks|cmd\/dynamic-provider\/index\.js/;

/** The resident memory of a process in megabytes. */
export interface Memory {
  readonly now: number;
  /** The highest value that the kernel has recorded. */
  readonly peak: number;
}

/** Reads the memory of a process; `undefined` if it has ended, or without `/proc`. */
export function memoryOf(pid: number | string | undefined): Memory | undefined {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, "utf8"));
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
  const memory = { now: read("VmRSS"), peak: read("VmHWM") };
  return Number.isNaN(memory.peak) ? undefined : memory;
}

/** Follows the peak memory of the provider's process in a directory. The list stays empty if it was never seen. */
export function watchProvider(directory: string): { stop: () => number[] } {
  let pid: string | undefined;
  let peak: number | undefined;
  const timer = setInterval(() => {
    pid ??= globSync("[0-9]*", { cwd: "/proc" }).find(
      (id) =>
        attempt(() => readlinkSync(`/proc/${id}/cwd`)) === directory &&
        provider.test(attempt(() => readFileSync(`/proc/${id}/cmdline`, "utf8"))),
    );
    // After the process has ended, the last value that was read counts.
    peak = memoryOf(pid)?.peak ?? peak;
  }, sampleEveryMs);
  return {
    stop: () => {
      clearInterval(timer);
      return peak === undefined ? [] : [peak];
    },
  };
}

/** Ignores errors, because a process can end while it is read. */
function attempt(look: () => string): string {
  try {
    return look();
  } catch {
    return "";
  }
}
