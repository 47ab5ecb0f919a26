import { randomInt } from "node:crypto";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { textsBelow } from "./directory.js";
import { type RunningCommand, start } from "./pulumi.js";
import { readmeBlocks } from "./readme.js";

export interface Guide {
  /** The directory that the guide begins in. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The packed package, in place of the published one. */
  readonly tarball?: string;
  /** Writes files that the guide gives as text, after what comes before the service is started. */
  readonly write?: () => Promise<void>;
  /** Changes what depends on the machine. */
  readonly adapt?: (commands: string) => string;
}

/**
 * Pastes the commands of a guide, the one that serves into a terminal of its own. Expects them to print
 * what the guide says, to leave no secret in a file, and to delete each webhook that they create.
 */
export async function followGuide(
  markdown: string,
  { directory, environment, tarball, write, adapt = (commands) => commands }: Guide,
): Promise<void> {
  // Below those that the system gives away: the commands start a receiver there again and again.
  const port = randomInt(10_000, 30_000);
  const blocks = readmeBlocks(markdown.replaceAll("127.0.0.1:9000", `127.0.0.1:${port}`));
  const serving = blocks.findIndex(({ commands }) => commands.startsWith("npx pulumi-dbwebhooks"));
  const [before, after] = [blocks.slice(0, serving), blocks.slice(serving + 1)];
  const [, changedTo = "."] = /&& cd (\S+)/.exec(before[0]?.commands ?? "") ?? [];
  // The guide says which backend and passphrase to use.
  const { PULUMI_BACKEND_URL: _, PULUMI_CONFIG_PASSPHRASE: __, ...own } = environment;
  const open = (commands: string, at = directory) =>
    start("bash", ["-euc", commands], {
      directory: at,
      environment: { ...own, npm_config_prefer_offline: "true", PORT: String(port) },
      isGroupLeader: true,
    });
  const paste = async (pasted: typeof blocks, at: string, baseUrl = "") => {
    const commands = pasted.map((block) =>
      adapt(block.commands)
        .replace(/(?<=npm install )pulumi-dbwebhooks/, `'${tarball}'`)
        .replaceAll("http://127.0.0.1:8787", baseUrl),
    );
    const terminal = open(commands.join(""), at);
    // What it has left in the background would keep its output open.
    terminal.child.once("exit", () => endGroup(terminal));
    const { exitCode, output } = await terminal.result;
    expect(exitCode, output).toBe(0);
    for (const { output: text = "" } of pasted) {
      // Each up to the … that stands for what differs from run to run.
      const [documented = ""] = text.trimEnd().split("…");
      expect(comparable(output)).toContain(comparable(documented));
    }
    return output;
  };

  let output = before.length > 0 ? await paste(before, directory) : "";
  const at = join(directory, changedTo);
  await write?.();
  const service = open(`${blocks[serving]?.commands.trim()} --port 0`, at);
  try {
    const addressOf = () => /listens at (http:\/\/\S+)/.exec(service.output())?.[1];
    // Guides are pasted side by side, where expect.poll() does not know its test.
    await vi.waitUntil(addressOf, { timeout: 120_000 });
    output += await paste(after, at, addressOf());
  } finally {
    endGroup(service);
    await service.result;
  }
  const log = service.output();
  const idsOf = (did: string) =>
    [...log.matchAll(new RegExp(`, ${did} webhook (\\d+)$`, "gm"))].map(([, id]) => id).toSorted();
  expect(idsOf("created")).not.toEqual([]);
  expect(idsOf("deleted")).toEqual(idsOf("created"));
  // The service's secrets all begin like this.
  if (!markdown.includes("\nwhsec_")) expect(output + log).not.toContain("whsec_");
  // Files of Pulumi and of its state: not the sources, which may explain secrets.
  const isMade = (path: string) => !/\.(md|m?ts)$|\/node_modules\/|\/venv\//.test(path);
  const files = Object.entries(await textsBelow(directory, isMade));
  expect(files.filter(([, text]) => text.includes("whsec_")).map(([path]) => path)).toEqual([]);
}

/** The commands of a guide from an empty directory to the secret, read back from the stack. */
export function commandsToSecret(markdown: string): string[] {
  const commands = readmeBlocks(markdown).flatMap((block) => block.commands.trim().split("\n"));
  const last = commands.findIndex((command) => command.includes("--show-secrets"));
  return commands.slice(0, last + 1);
}

/** npx does not hand on the signal that ends it. */
function endGroup({ child }: RunningCommand): void {
  try {
    process.kill(-(child.pid ?? 0), "SIGTERM");
  } catch {
    // Nothing of it is left.
  }
}

/** What does not differ from run to run. */
function comparable(text: string): string {
  return text.replaceAll(/evt_[0-9a-f]+/g, "evt_").replaceAll(/attempt \d+/g, "attempt");
}
