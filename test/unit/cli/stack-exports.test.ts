import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { exportStacks } from "../../../src/cli/webhooks/stack-exports.ts";
import { withDirectory } from "../../helpers/directory.ts";

/** Runs a test with a shell script in place of the Pulumi CLI. */
function withPulumi(script: string, use: (directory: string) => Promise<void>): Promise<void> {
  return withDirectory(async (directory) => {
    await writeFile(join(directory, "pulumi"), `#!${script}\n`);
    await chmod(join(directory, "pulumi"), 0o700);
    vi.stubEnv("PATH", `${directory}:/usr/bin:/bin`);
    await use(directory);
  });
}

it("A few stacks are exported at a time, in their order", () =>
  withPulumi(
    `/bin/sh
    directory=$(dirname "$0")
    touch "$directory/running.$$"
    ls "$directory" | grep -c running >> "$directory/counts"
    sleep 0.2
    rm "$directory/running.$$"
    echo "$3"`,
    async (directory) => {
      const stacks = Array.from({ length: 9 }, (_, at) => `dev${at}`);

      const exported = await exportStacks(stacks);

      expect(exported).toEqual(stacks.map((name) => ({ text: `--stack=${name}\n` })));
      const counts = (await readFile(join(directory, "counts"), "utf8")).trim().split("\n");
      expect(Math.max(...counts.map(Number))).toBeLessThanOrEqual(4);
    },
  ));

it("An export that hangs ends, also if a child of the CLI holds its output", () =>
  withPulumi(
    `/bin/sh
    trap '' TERM
    echo $$ >> "$0.pids"
    sleep 600 & echo $! > "$0.child"
    wait`,
    async (directory) => {
      const exported = await exportStacks(["dev"], 1);

      const pidsIn = async (name: string) => {
        const text = await readFile(join(directory, name), "utf8");
        return text.trim().split("\n").map(Number);
      };
      for (const pid of await pidsIn("pulumi.child")) {
        process.kill(pid, "SIGKILL");
      }
      expect(exported).toEqual([{ problem: "pulumi did not end within 1 s" }]);
      const [pid = 0, ...others] = await pidsIn("pulumi.pids");
      expect(() => process.kill(pid, 0)).toThrow("ESRCH");
      expect(others).toEqual([]);
    },
  ));

it("A script whose interpreter is missing is not taken for a CLI that is not on PATH", () =>
  withPulumi("/no/such/interpreter", async () => {
    expect(await exportStacks(["dev"])).toEqual([
      { problem: expect.stringMatching(/on PATH, or .* interpreter/) },
    ]);
  }));

it("No listener of signals stays after the exports", () =>
  withPulumi("/bin/sh\necho {}", async () => {
    const count = () => process.listenerCount("SIGINT") + process.listenerCount("SIGTERM");
    const before = count();

    await exportStacks(["dev"]);

    expect(count()).toBe(before);
  }));
