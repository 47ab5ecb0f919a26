import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  type CacheEntry,
  fillEntry,
  isWhole,
  userCacheDirectory,
} from "../../tools/pulumi-cli/cache.mts";

let root: string;
let entry: CacheEntry;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "pulumi-cli-cache-"));
  entry = { directory: join(root, "cache", "entry"), executables: ["tool"] };
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function fill(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "tool"), "");
  await chmod(join(directory, "tool"), 0o755);
}

/** Another process that has everything in its unfinished directory and does not go on. */
async function otherProcess(): Promise<ChildProcess> {
  const cache = pathToFileURL(join(__dirname, "../../tools/pulumi-cli/cache.mts"));
  const program = `
    import { writeFileSync } from "node:fs";
    import { fillEntry } from ${JSON.stringify(cache)};
    await fillEntry(${JSON.stringify(entry)}, {
      onWait: () => process.exit(1),
      fill: (directory) => {
        writeFileSync(directory + "/tool", "", { mode: 0o755 });
        process.stdout.write("filling");
        return new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1));
      },
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  await once(child.stdout, "data");
  return child;
}

describe("an entry that another process fills", () => {
  it("is not whole, is waited for, and is filled here when that process is killed", async () => {
    const other = await otherProcess();
    let wholeMeanwhile: Promise<boolean> | undefined;
    let filled = 0;

    await fillEntry(entry, {
      onWait: () => {
        wholeMeanwhile = isWhole(entry).finally(() => other.kill("SIGKILL"));
      },
      fill: async (directory) => {
        filled += 1;
        await fill(directory);
      },
    });

    expect(await wholeMeanwhile).toBe(false);
    expect(filled).toBe(1);
    expect(await isWhole(entry)).toBe(true);
    expect((await readdir(join(root, "cache"))).sort()).toEqual(["entry", "entry.lock"]);
  });

  it("is no longer waited for when the caller is told to stop", async () => {
    await otherProcess();
    const cancellation = new AbortController();

    const filling = fillEntry(entry, {
      onWait: () => cancellation.abort(),
      signal: cancellation.signal,
      fill,
    });

    await expect(filling).rejects.toThrow("aborted");
  });
});

describe("an entry that could not be filled", () => {
  it("leaves nothing behind, and the next one fills it", async () => {
    const failing = fillEntry(entry, {
      onWait: () => undefined,
      fill: async (directory) => {
        await fill(directory);
        throw new Error("the disk is full");
      },
    });
    await expect(failing).rejects.toThrow("the disk is full");
    expect(await readdir(join(root, "cache"))).toEqual(["entry.lock"]);

    await fillEntry(entry, { onWait: () => undefined, fill });

    expect(await isWhole(entry)).toBe(true);
  });
});

describe("the user's cache directory", () => {
  it("is in XDG_CACHE_HOME when that is absolute", () => {
    expect(userCacheDirectory({ XDG_CACHE_HOME: "/somewhere" })).toBe(
      join("/somewhere", "pulumi-dbwebhooks"),
    );
  });

  it.each(["relative", ""])("is in the home directory when XDG_CACHE_HOME is %j", (value) => {
    const directory = userCacheDirectory({ XDG_CACHE_HOME: value });

    expect(directory.startsWith(homedir())).toBe(true);
  });
});
