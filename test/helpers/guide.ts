import { join } from "node:path";
import { expect } from "vitest";
import { succeed } from "./package.js";
import { start } from "./pulumi.js";
import { type ReadmeBlock, readmeBlocks } from "./readme.js";

export interface Guide {
  /** The empty directory that the guide begins in. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The packed package, in place of the published one. */
  readonly tarball: string;
  /** Writes files that the guide gives as text, after what comes before the service is started. */
  readonly write?: () => Promise<void>;
  /** Changes what depends on the machine. */
  readonly adapt?: (commands: string) => string;
}

/**
 * Pastes the commands of a guide, the one that serves into a terminal of its own, and expects each to
 * print what the guide says.
 */
export async function followGuide(
  markdown: string,
  { directory, environment, tarball, write, adapt = (commands) => commands }: Guide,
): Promise<void> {
  const blocks = readmeBlocks(markdown);
  const serving = blocks.findIndex(({ commands }) => commands.startsWith("npx pulumi-dbwebhooks"));
  const { PULUMI_BACKEND_URL: _, PULUMI_CONFIG_PASSPHRASE: __, ...rest } = environment;
  const options = { directory, environment: { ...rest, npm_config_prefer_offline: "true" } };
  const [, changedTo = ""] = /&& cd (\S+)/.exec(blocks[0]?.commands ?? "") ?? [];
  const paste = async (pasted: readonly ReadmeBlock[], baseUrl = "") => {
    const commands = pasted.map((block) =>
      adapt(block.commands)
        .replace(/(?<=npm install )pulumi-dbwebhooks/, `'${tarball}'`)
        .replaceAll("http://127.0.0.1:8787", baseUrl),
    );
    const { output } = await succeed("bash", ["-euc", commands.join("")], options);
    expectShown(pasted, output);
  };

  await paste(blocks.slice(0, serving));
  options.directory = join(directory, changedTo);
  await write?.();
  // A free port, where the guide has the usual one.
  const words = `${blocks[serving]?.commands.trim()} --port 0`.split(" ");
  const service = start("npx", words.slice(1), { ...options, isGroupLeader: true });
  try {
    const addressOf = () => /listens at (http:\/\/\S+)/.exec(service.output())?.[1];
    await expect.poll(addressOf).toBeDefined();
    await paste(blocks.slice(serving + 1), addressOf());
  } finally {
    // npx does not pass signals on to what it has started.
    process.kill(-(service.child.pid ?? 0), "SIGTERM");
    await service.result;
  }
  expect(service.output().match(/, created webhook/g)?.length).toBe(
    service.output().match(/, deleted webhook/g)?.length,
  );
}

/** The commands of a guide from an empty directory to the secret, read back from the stack. */
export function commandsToSecret(markdown: string): string[] {
  const commands = readmeBlocks(markdown).flatMap((block) => block.commands.trim().split("\n"));
  const last = commands.findIndex((command) => command.includes("--show-secrets"));
  return commands.slice(0, last + 1);
}

/** Expects the texts, each up to the … that stands for what differs from run to run. */
function expectShown(blocks: readonly ReadmeBlock[], output: string): void {
  for (const { output: text } of blocks) {
    expect(output).toContain((text ?? "").trimEnd().split("…")[0]);
  }
}
