import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { parse } from "yaml";
import { temporaryDirectory, writeJson } from "./directory.js";
import { run, stackEnvironment } from "./pulumi.js";

declare module "vitest" {
  interface ProvidedContext {
    readonly stackTemplate: {
      /** A directory with the backend and the project of a new stack. */
      readonly path: string;
      readonly encryptedApiKey: string;
    };
  }
}

/** What the stacks of tests are copied from: the CLI makes a stack, and encrypts its key, once. */
export const template = { project: "webhooks", apiKey: "local-api-key" };

/** The setting that is stored as a secret. */
export const apiKeySetting = "dbwebhooks:apiKey";

/** Makes a directory for a program. */
export async function writeProject(directory: string, project: string): Promise<void> {
  await mkdir(directory);
  await writeFile(join(directory, "Pulumi.yaml"), `name: ${project}\nruntime: nodejs\n`);
}

/** Vitest's global set-up: makes the template, and removes it after the last test. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const root = temporaryDirectory();
  const directory = join(root.path, template.project);
  const environment = await stackEnvironment(root.path);
  await writeProject(directory, template.project);
  for (const args of [
    ["stack", "init", "--stack", "test"],
    ["config", "set", "--stack", "test", "--secret", apiKeySetting, template.apiKey],
  ]) {
    const { exitCode, output } = await run("pulumi", [...args, "--non-interactive"], {
      directory,
      environment,
    });
    if (exitCode !== 0) {
      throw new Error(output);
    }
  }
  const configFile = join(directory, "Pulumi.test.yaml");
  const { config, ...settings } = parse(await readFile(configFile, "utf8"));
  await writeJson(configFile, settings);
  provide("stackTemplate", {
    path: root.path,
    encryptedApiKey: config[apiKeySetting].secure,
  });
  return () => root.remove();
}
