import { randomInt } from "node:crypto";
import { resolve } from "node:path";
import { expect } from "vitest";
import { type RunningCommand, start } from "./commands.ts";
import { repository, textsBelow } from "./directory.ts";
import { issuedSecret } from "./leaks.ts";
import { codeBlocks } from "./markdown.ts";

export interface GuideOptions {
  /** The directory in which the guide begins. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Writes the files whose content the guide shows, before the service starts. */
  readonly write?: () => Promise<void>;
  /** Changes commands that depend on the machine. */
  readonly adapt?: (commands: string) => string;
}

/** Commands of a page, and the output that the page documents for them. */
export type CommandBlock = Readonly<{ commands: string; output: string }>;

/** Returns the blocks of commands in a page, in their order. */
export function commandBlocks(page: string): CommandBlock[] {
  const blocks = codeBlocks(page);
  return blocks.flatMap(({ language, text }, index) => {
    const next = blocks[index + 1];
    const isOutput = next?.language === "" || next?.language === "text";
    return language === "sh" ? [{ commands: text, output: isOutput ? next.text : "" }] : [];
  });
}

/**
 * Pastes the commands of a guide, and those that start the local service into a terminal of their
 * own. Expects the commands to print the documented output, to leave no secret in a file, and to
 * delete every webhook that they create.
 */
export async function followGuide(markdown: string, guide: GuideOptions): Promise<void> {
  const port = receiverPort();
  const blocks = commandBlocks(markdown.replaceAll("127.0.0.1:9000", `127.0.0.1:${port}`));
  const serve = /^(?:npx --no -- pulumi-dbwebhooks|npm run --silent --prefix \S+) serve/;
  const serving = blocks.findIndex(({ commands }) => serve.test(commands));
  expect(serving).toBeGreaterThanOrEqual(0);
  const before = blocks.slice(0, serving);
  const changesTo = /&& cd (\S+)/.exec(before.map(({ commands }) => commands).join());
  const home = guide.environment.HOME ?? guide.directory;
  const directory = resolve(guide.directory, (changesTo?.[1] ?? ".").replace("~", home));
  // The guide chooses the backend and the passphrase.
  const { PULUMI_BACKEND_URL: _, PULUMI_CONFIG_PASSPHRASE: __, ...variables } = guide.environment;
  const environment = { ...variables, npm_config_prefer_offline: "true", PORT: port };
  const openIn = (terminalDirectory: string) => (commands: string) => {
    const options = { directory: terminalDirectory, environment, isGroupLeader: true };
    return start("bash", ["-euc", commands], options);
  };

  let printed = await paste(before, guide, openIn(guide.directory));
  await guide.write?.();
  const serveCommand = inClone(blocks[serving]?.commands.trim() ?? "");
  const separator = serveCommand.startsWith("npm") ? " --" : "";
  const service = openIn(directory)(`${serveCommand}${separator} --port 0`);
  try {
    const baseUrl = await service.waitFor(/listens at (http:\/\/\S+)/);
    printed += await paste(blocks.slice(serving + 1), guide, openIn(directory), baseUrl);
  } finally {
    endGroup(service);
    await service.result;
  }

  const log = service.output();
  const idsIn = (pattern: RegExp) => [...log.matchAll(pattern)].map(([, id]) => id).toSorted();
  const created = idsIn(/^POST .* 200 \{"id":(\d+)\}$/gm);
  expect(created).not.toEqual([]);
  expect(idsIn(/^DELETE .*\/(\d+) 200 /gm)).toEqual(created);
  // npm shows the hash of what it packs.
  expect((printed + log).replaceAll(/^npm notice .*/gm, "")).not.toMatch(issuedSecret);
  const isWritten = (path: string) => !/\/(node_modules|venv|plugins)\//.test(path);
  const files = Object.entries(await textsBelow(directory, isWritten));
  expect(files.filter(([, text]) => issuedSecret.test(text)).map(([path]) => path)).toEqual([]);
}

/** Replaces the clone in the home directory by this repository. */
function inClone(commands: string): string {
  return commands.replaceAll(/~\/pulumi-dbwebhooks(?=[/ ])/g, repository);
}

/**
 * A port below those that the system assigns, because the commands start a receiver there
 * repeatedly.
 */
const receiverPort = () => String(randomInt(10_000, 30_000));

/** Pastes blocks into one terminal, expects the documented output, and returns what was printed. */
async function paste(
  blocks: readonly CommandBlock[],
  { adapt = (commands) => commands }: GuideOptions,
  open: (commands: string) => RunningCommand,
  baseUrl = "",
): Promise<string> {
  const commands = blocks.map((block) =>
    inClone(adapt(block.commands)).replaceAll("http://127.0.0.1:8787", baseUrl),
  );
  const terminal = open(commands.join(""));
  // Processes that it has left in the background would keep its output open.
  terminal.child.once("exit", () => endGroup(terminal));
  const { exitCode, output } = await terminal.result;
  expect(exitCode, output).toBe(0);
  for (const block of blocks) {
    // Up to the …, which stands for text that differs from run to run.
    const [documented = ""] = block.output.trimEnd().split("…");
    expect(comparable(output)).toContain(comparable(documented));
  }
  return output;
}

/** Ends a command and its children, because npx does not forward the signal that ends it. */
function endGroup({ child }: RunningCommand): void {
  try {
    process.kill(-Number(child.pid), "SIGTERM");
  } catch {
    // The group has ended already.
  }
}

/** Removes what differs from run to run. */
function comparable(text: string): string {
  return text
    .replaceAll(/evt_[0-9a-f-]+/g, "evt_")
    .replaceAll(/(attempt|webhook) \d+/g, "$1")
    .replaceAll(/(?<="webhookId":)\d+/g, "");
}
