import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { vi } from "vitest";
import { runCommandLine } from "../../src/cli/command-line.ts";
import { withDirectory, writeFiles } from "./directory.ts";
import { startFaultyService } from "./local-service.ts";
import { pathWithoutPulumi, writePulumi } from "./pulumi-stand-in.ts";
import { recordRequests } from "./recorder.mts";

interface Call {
  readonly apiKey?: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** A shell script in place of the Pulumi CLI. Without one, there is none on PATH. */
  readonly pulumi?: string;
  /** Files that the command finds in its directory. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Starts a service with a webhook, and runs commands with its settings in this process. */
export async function startWithWebhook(options?: Parameters<typeof startFaultyService>[0]) {
  const service = await startFaultyService(options);
  await service.subscribe("https://example.com/hooks/orders");
  const { requests } = recordRequests(service);
  const { baseUrl } = service;
  const runCommand = (args: readonly string[], call: Call = {}) => {
    const { apiKey = service.apiKey, variables, pulumi, files = {} } = call;
    return withDirectory(async (directory) => {
      await writeFiles(directory, files);
      const environment = {
        DBWEBHOOKS_BASE_URL: baseUrl,
        DBWEBHOOKS_API_KEY: apiKey,
        PATH: pulumi === undefined ? pathWithoutPulumi : await writePulumi(directory, pulumi),
        ...variables,
      };
      for (const [name, value] of Object.entries(environment)) {
        vi.stubEnv(name, value);
      }
      const result = await runIn(directory, args);
      return { ...result, written: await textsInDirectoriesOf(directory) };
    });
  };
  return { service, requests, baseUrl, id: String(service.webhooks[0]?.id), runCommand };
}

/** Runs a command line in a directory, as `cli/main.ts` does. */
async function runIn(directory: string, args: readonly string[]) {
  const texts = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      texts[name] += text;
      return true;
    }),
  );
  const formerDirectory = process.cwd();
  process.chdir(directory);
  process.exitCode = undefined;
  try {
    await runCommandLine(args);
  } catch (error) {
    texts.stderr += `${(error as Error).message}\n`;
    process.exitCode = 1;
  }
  const exitCode = process.exitCode ?? 0;
  process.exitCode = undefined;
  process.chdir(formerDirectory);
  for (const spy of spies) {
    spy.mockRestore();
  }
  return { exitCode, ...texts, output: texts.stdout + texts.stderr };
}

/** Returns the texts of the files in new directories, by their paths. */
async function textsInDirectoriesOf(directory: string): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = {};
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const files = entry.isDirectory() ? await readdir(join(directory, entry.name)) : [];
    for (const file of files) {
      const path = `${entry.name}/${file}`;
      texts[path] = await readFile(join(directory, path), "utf8");
    }
  }
  return texts;
}
