import { globSync, readFileSync, readlinkSync } from "node:fs";

const sampleIntervalMs = 50;
const providerCommand = /pulumi-resource-dbwebhooks|cmd\/dynamic-provider\/index\.js/;

/** The resident memory of a process in megabytes. */
export interface Memory {
  readonly now: number;
  /** The highest value that the kernel has recorded. */
  readonly peak: number;
}

/** Reads the memory of a process; `undefined` if it has ended, or without `/proc`. */
export function memoryOf(pid: number | string | undefined): Memory | undefined {
  const status = textOrEmpty(() => readFileSync(`/proc/${pid}/status`, "utf8"));
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
  const memory = { now: read("VmRSS"), peak: read("VmHWM") };
  return Number.isNaN(memory.peak) ? undefined : memory;
}

/**
 * Watches the memory of the provider's process that runs in a directory. `stop` returns its peak in megabytes,
 * or `undefined` if no such process was found.
 */
export function watchProviderMemory(directory: string): { stop: () => number | undefined } {
  let pid: string | undefined;
  let peak: number | undefined;
  const timer = setInterval(() => {
    pid ??= globSync("[0-9]*", { cwd: "/proc" }).find(
      (id) =>
        textOrEmpty(() => readlinkSync(`/proc/${id}/cwd`)) === directory &&
        providerCommand.test(textOrEmpty(() => readFileSync(`/proc/${id}/cmdline`, "utf8"))),
    );
    // After the process has ended, the last value that was read counts.
    peak = memoryOf(pid)?.peak ?? peak;
  }, sampleIntervalMs);
  return {
    stop: () => {
      clearInterval(timer);
      return peak;
    },
  };
}

/** Returns an empty text in place of an error, because a process can end while its files are read. */
function textOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
