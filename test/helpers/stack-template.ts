import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { succeed } from "./commands.ts";
import { temporaryDirectory } from "./directory.ts";
import { stackEnvironment } from "./pulumi.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A directory with the backend and the project of a new stack, which has the API key. */
    readonly stackTemplate: string;
  }
}

/** The stack that tests copy, so that the CLI creates a stack and encrypts its key only once. */
export const template = { project: "webhooks", apiKey: "local-api-key" };

/** Vitest's global set-up: makes the template, and removes it after the last test. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const root = temporaryDirectory();
  const directory = join(root.path, template.project);
  const environment = await stackEnvironment(root.path);
  await mkdir(directory);
  await writeFile(join(directory, "Pulumi.yaml"), `name: ${template.project}\nruntime: nodejs\n`);
  for (const args of [
    ["stack", "init", "--stack", "test"],
    ["config", "set", "--stack", "test", "--secret", "dbwebhooks:apiKey", template.apiKey],
  ]) {
    await succeed("pulumi", args, { directory, environment });
  }
  provide("stackTemplate", root.path);
  return () => root.remove();
}
