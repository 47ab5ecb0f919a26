import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect, inject } from "vitest";
import { withExample } from "../example.js";
import { succeed } from "../package.js";
import { type CommandResult, run } from "../pulumi.js";
import { edit, type LanguageProgram, type StackCommand, usePlugin } from "./programs.js";

/** The stack `dev` of a program of an example. */
export interface LanguageStack {
  readonly service: LocalService;
  /** Changes the program: each text to the other. */
  edit(...changes: readonly (readonly [string, string])[]): Promise<void>;
  /** Runs a command on the stack, whatever its exit code. */
  run(
    command: StackCommand,
    environment?: Readonly<Record<string, string>>,
  ): Promise<CommandResult>;
  /** Outputs of the stack with their secrets in clear. */
  outputs(): Promise<unknown>;
  /** What is stored of a resource. */
  resource(name: string): Promise<{ readonly id: string; readonly outputs: object }>;
  /** The text of the state, with secrets as they are stored. */
  stateText(): Promise<string>;
}

/** The keys of the two accounts. */
export const apiKeys = { own: "local-api-key", warehouse: "warehouse-api-key" };

/**
 * Runs a test with a new stack, without the language hosts for Python and Go. Then it destroys what is
 * left, and asserts that the service has no webhook.
 */
export async function withLanguageStack(
  { example, file, project, words }: LanguageProgram,
  use: (stack: LanguageStack) => Promise<void>,
): Promise<void> {
  await using service = await startLocalService({
    listing: true,
    apiKeys: Object.values(apiKeys),
  });
  await withExample(example, async ({ directory, environment }) => {
    const own = {
      ...environment,
      PATH: inject("languages").pathWithoutHosts,
      DBWEBHOOKS_BASE_URL: service.baseUrl,
      DBWEBHOOKS_API_KEY: apiKeys.own,
    };
    const command = (...args: string[]): Parameters<typeof run> => [
      "pulumi",
      [...args, "--stack", "dev", "--non-interactive"],
      { directory, environment: own },
    ];
    const pulumi = (...args: string[]) => succeed(...command(...args));
    // Needs no program, and so no language.
    const destroy = command("destroy", "--yes", "--skip-preview");
    const stateText = () =>
      readFile(join(directory, "../../state/.pulumi/stacks", project, "dev.json"), "utf8");
    const stack: LanguageStack = {
      service,
      edit: (...changes) => edit(join(directory, file), changes),
      run: (command, more) => {
        const [name, ...args] = words(command);
        return run(name, args, { directory, environment: { ...own, ...more } });
      },
      outputs: async () =>
        JSON.parse((await pulumi("stack", "output", "--json", "--show-secrets")).stdout),
      resource: async (name) => {
        const { checkpoint } = JSON.parse(await stateText());
        return checkpoint.latest.resources.find(({ urn }: { urn: string }) =>
          urn.endsWith(`::${name}`),
        );
      },
      stateText,
    };

    await usePlugin(directory);
    await pulumi("stack", "init");
    await pulumi("config", "set", "--secret", "warehouseApiKey", apiKeys.warehouse);
    try {
      await use(stack);
    } catch (error) {
      // What failed is worth more than what cannot be cleaned up after it.
      await run(...destroy);
      throw error;
    }
    if (service.webhooks.length > 0) await succeed(...destroy);
  });
  expect(service.webhooks).toEqual([]);
}
