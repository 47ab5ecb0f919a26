import { randomInt } from "node:crypto";
import { once } from "node:events";
import { cp, readdir, readFile, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { withDirectory } from "./directory.js";
import { type RunningCommand, stackEnvironment, start } from "./pulumi.js";
import { readmeBlocks } from "./readme.js";

const repository = join(__dirname, "../..");
// Texts of this repository, which may explain what a secret looks like.
const sources = /\.(md|m?ts)$/;
// What the commands of an example leave in it.
const isMade = /^(node_modules|\.pulumi|Pulumi\..+\.yaml|venv|sdks|__pycache__)$/;
const betweenBlocks = "\u241e";

/** A copy of an example, outside of this repository. */
export interface Example {
  readonly directory: string;
  /** What Pulumi and npm need to keep everything below the directory above. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs `use` with a copy of one of the examples; its neighbours and the plugin are there, too. */
export async function withExample<Result>(
  name: string,
  use: (example: Example) => Promise<Result>,
): Promise<Result> {
  return await withDirectory(async (root) => {
    const examples = join(root, "examples");
    const isSource = (path: string) => !isMade.test(path);
    await cp(join(repository, "examples"), examples, {
      recursive: true,
      filter: (path) => isSource(basename(path)),
    });
    for (const built of ["node_modules", "dist-plugin"]) {
      await symlink(join(repository, built), join(root, built));
    }
    const environment = {
      ...(await stackEnvironment(root)),
      npm_config_update_notifier: "false",
      // tsc has checked the examples.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
    };
    return await use({ directory: join(examples, name), environment });
  });
}

/** What came of pasting a README. */
export interface Pasted {
  /** By block: what it printed, and what the README says that it prints. */
  readonly blocks: readonly { readonly printed: string; readonly documented: string }[];
  /** All that was printed, by the service too. */
  readonly output: string;
  readonly createdIds: readonly string[];
  readonly deletedIds: readonly string[];
}

/**
 * Pastes all commands of an example's README, the one that serves into a terminal of its own. `adapt`
 * changes what depends on the machine.
 */
export async function pasteReadme(
  { directory, environment }: Example,
  adapt: (commands: string) => string = (commands) => commands,
): Promise<Pasted> {
  const receiverPort = String(await freePort());
  const readme = (await readFile(join(directory, "README.md"), "utf8")).replaceAll(
    "127.0.0.1:9000",
    `127.0.0.1:${receiverPort}`,
  );
  const [[serving, ...others], pasted] = partition(readmeBlocks(readme), ({ commands }) =>
    commands.startsWith("npx pulumi-dbwebhooks serve"),
  );
  expect([serving?.commands.trim().split("\n").length, others]).toEqual([1, []]);
  // The README says which backend and passphrase to use.
  const { PULUMI_BACKEND_URL: _, PULUMI_CONFIG_PASSPHRASE: __, ...own } = environment;
  const open = (commands: string) =>
    start("bash", ["-eu", "-c", commands], {
      directory,
      environment: { ...own, PORT: receiverPort },
      isGroupLeader: true,
    });

  const service = open(`${serving?.commands.trim()} --port 0`);
  try {
    await expect.poll(service.output).toContain("Stop it with");
    const baseUrl = /listens at (\S+)/.exec(service.output())?.[1] ?? "";
    const terminal = open(
      pasted
        .map(({ commands }) => adapt(commands).replaceAll("http://127.0.0.1:8787", baseUrl))
        .join(`printf '%s\\n' ${betweenBlocks}\n`),
    );
    // What it has left in the background would keep its output open.
    terminal.child.once("exit", () => endGroup(terminal));
    const { exitCode, output } = await terminal.result;
    expect(exitCode, output).toBe(0);

    const log = service.output();
    return {
      blocks: output.split(`${betweenBlocks}\n`).map((printed, index) => ({
        printed: comparable(printed),
        documented: comparable(pasted[index]?.output ?? ""),
      })),
      output: output + log,
      createdIds: [...log.matchAll(/, created webhook (\d+)$/gm)].map(([, id]) => String(id)),
      deletedIds: [...log.matchAll(/, deleted webhook (\d+)$/gm)].map(([, id]) => String(id)),
    };
  } finally {
    endGroup(service);
    await service.result;
  }
}

/** All files that are there after a run: of the examples, of Pulumi and of its state. */
export async function filesOf({
  directory,
}: Example): Promise<{ readonly path: string; readonly text: string }[]> {
  const entries = await readdir(join(directory, "../.."), { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile() && !sources.test(entry.name))
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        return { path, text: await readFile(path, "latin1") };
      }),
  );
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

function partition<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/**
 * A port for a process that the commands start again and again. It is below those that the system gives
 * away, or somebody else could have it while that process is not there.
 */
async function freePort(): Promise<number> {
  const port = randomInt(10_000, 30_000);
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return await freePort();
  }
  server.close();
  await once(server, "close");
  return port;
}
