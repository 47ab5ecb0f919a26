import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect } from "vitest";
import { isWebhook } from "./cli-output.mjs";
import { withDirectory } from "./directory.js";
import { changeProject, javascriptProgram, type Program, type Webhooks } from "./programs.js";
import { type CommandResult, type RunningCommand, run, stackEnvironment, start } from "./pulumi.js";

/** A stack of a program with webhooks, on the real CLI with a file backend. */
export interface TestStack {
  readonly service: LocalService;
  /** The directory of the program. */
  readonly directory: string;
  /** Declares webhooks in place of those declared before. */
  declare(webhooks: Webhooks): Promise<void>;
  /** Takes the text of a JavaScript program in place of the one that `declare` feeds. */
  declareText(program: string): Promise<void>;
  /** Takes these keys of Pulumi.yaml, for a program that is written there. */
  declareProject(project: object): Promise<void>;
  /** Runs a command of the CLI in the program's directory, on its stack, whatever its exit code. */
  pulumi(args: readonly string[], environment?: Environment): Promise<CommandResult>;
  /** The same for a command that knows no stacks. */
  pulumiWithoutStack(args: readonly string[]): Promise<CommandResult>;
  /** Starts such a command in a process group of its own, for tests that interrupt it. */
  start(args: readonly string[]): RunningCommand;
  /** Runs `pulumi up` without its preview, and fails unless it succeeds. */
  up(): Promise<CommandResult>;
  /** Changes the stack's configuration. */
  configure(config: Config): Promise<void>;
  /** Outputs of the stack with their secrets in clear. */
  outputs(): Promise<Record<string, unknown>>;
  /** Webhooks in the state, by resource name. */
  resources(): Promise<Record<string, StateResource>>;
  /** The text of the exported state, with secrets as they are stored. */
  exportText(): Promise<string>;
  /** Runs `use` with a stack of another project in the same backend, and destroys that one too. */
  beside(project: string, use: (stack: TestStack) => Promise<void>): Promise<void>;
}

/** Settings by key; those of the API key are stored as secrets. */
type Config = Readonly<Record<string, string>>;

type Environment = Readonly<Record<string, string>>;

/** What the state holds of one webhook. */
interface StateResource {
  readonly urn: string;
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

interface TestStackOptions {
  /** How the webhooks are declared. Default: a plain JavaScript program with the package. */
  readonly program?: Program;
  /** Default: a local service without options. */
  readonly service?: LocalService;
  /** Settings in the stack's configuration. Default: base URL and key of the service. */
  readonly config?: Config;
}

/**
 * Runs a test with a stack of its own, then destroys and removes the stack and asserts that nothing
 * is left at the service.
 */
export async function withStack(
  use: (stack: TestStack) => Promise<void>,
  options: TestStackOptions = {},
): Promise<void> {
  await using service = options.service ?? (await startLocalService());
  const config = options.config ?? {
    "dbwebhooks:baseUrl": service.baseUrl,
    "dbwebhooks:apiKey": service.apiKey,
  };
  const { program = javascriptProgram } = options;
  await withDirectory(async (root) => {
    const environment = await stackEnvironment(root);
    const withProject = async (project: string, useStack: (stack: TestStack) => Promise<void>) => {
      const directory = join(root, project);
      const stack = openStack({ directory, environment, service, program });
      await mkdir(directory, { recursive: true });
      await program.write(directory, project);
      await succeedWith(stack, ["stack", "init"]);
      await stack.configure(config);
      try {
        await useStack({ ...stack, beside: withProject });
      } catch (error) {
        // What failed is worth more than what cannot be cleaned up after it.
        await stack.pulumi(["cancel", "--yes"]);
        await stack.pulumi(["destroy", "--yes", "--skip-preview", "--remove"]);
        throw error;
      }
      service.clearFaults();
      await succeedWith(stack, ["destroy", "--yes", "--skip-preview", "--remove"]);
    };
    await withProject("webhooks", use);
  });
  expect(service.webhooks).toEqual([]);
}

interface StackOptions {
  readonly directory: string;
  readonly environment: Environment;
  readonly service: LocalService;
  readonly program: Program;
}

function openStack({
  directory,
  environment,
  service,
  program,
}: StackOptions): Omit<TestStack, "beside"> {
  const command = (args: readonly string[], extra?: Environment): Parameters<typeof start> => [
    "pulumi",
    [...args, "--stack", "test", "--non-interactive"],
    { directory, environment: { ...environment, ...extra } },
  ];
  const stack = {
    service,
    directory,
    declare: (webhooks: Webhooks) => program.declare(directory, webhooks),
    declareText: (text: string) => writeFile(join(directory, "index.js"), text),
    declareProject: (project: object) => changeProject(directory, project),
    pulumi: (args: readonly string[], extra?: Environment) => run(...command(args, extra)),
    pulumiWithoutStack: (args: readonly string[]) =>
      run("pulumi", [...args, "--non-interactive"], { directory, environment }),
    start: (args: readonly string[]) => {
      const [name, all, options] = command(args);
      return start(name, all, { ...options, isGroupLeader: true });
    },
    up: () => succeedWith(stack, ["up", "--yes", "--skip-preview"]),
    configure: async (config: Config) => {
      const settings = Object.entries(config).flatMap(([key, value]) => [
        key.endsWith("apiKey") ? "--secret" : "--plaintext",
        `${key}=${value}`,
      ]);
      await succeedWith(stack, ["config", "set-all", ...settings]);
    },
    outputs: async () =>
      JSON.parse(
        (await succeedWith(stack, ["stack", "output", "--json", "--show-secrets"])).stdout,
      ),
    resources: async () => resourcesOf(JSON.parse(await stack.exportText())),
    exportText: async (): Promise<string> => (await succeedWith(stack, ["stack", "export"])).stdout,
  };
  return stack;
}

async function succeedWith(
  { pulumi }: Pick<TestStack, "pulumi">,
  args: readonly string[],
): Promise<CommandResult> {
  const result = await pulumi(args);
  expect(result.exitCode, result.output).toBe(0);
  return result;
}

/** Arguments that are all right, for tests that change one of them. */
export function webhookArgs(changes: object = {}): object {
  return {
    databaseId: "base_abc123",
    url: "https://example.com/hooks/orders",
    events: ["record.created", "record.updated"],
    ...changes,
  };
}

function resourcesOf(state: {
  deployment: { resources?: StateResource[] };
}): Record<string, StateResource> {
  return Object.fromEntries(
    (state.deployment.resources ?? [])
      .filter(({ urn }) => isWebhook(urn))
      .map((resource) => [resource.urn.split("::").at(-1), resource]),
  );
}
