import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect, inject } from "vitest";
import { parse } from "yaml";
import { isWebhook } from "./cli-output.mjs";
import { withDirectory, writeJson } from "./directory.js";
import { changeProject, javascriptProgram, type Program, type Webhooks } from "./programs.js";
import { type CommandResult, type RunningCommand, run, stackEnvironment, start } from "./pulumi.js";
import { apiKeySetting, template } from "./stack-template.js";

/** A stack of a program with webhooks, on the real CLI with a file backend. */
export interface TestStack {
  readonly service: LocalService;
  /** The directory of the program. */
  readonly directory: string;
  /** What Pulumi needs to keep everything below the directory above. */
  readonly environment: Environment;
  /** Declares webhooks in place of those declared before. */
  declare(webhooks: Webhooks): Promise<void>;
  /** Takes the text of a JavaScript program in place of the one that `declare` feeds. */
  declareText(program: string): Promise<void>;
  /** Takes these keys of Pulumi.yaml, for a program that is written there. */
  declareProject(project: object): Promise<void>;
  /** Runs a command of the CLI in the program's directory, on its stack, whatever its exit code. */
  pulumi(args: readonly string[], environment?: Environment): Promise<CommandResult>;
  /** The same for a command that knows no stacks. */
  pulumiWithoutStack(args: readonly string[], environment?: Environment): Promise<CommandResult>;
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
  /** The text of the state, with secrets as they are stored. */
  stateText(): Promise<string>;
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
 * Runs a test with a stack of its own, then destroys the stack and asserts that nothing is left at the
 * service.
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
      const stateFile = join(root, "state/.pulumi/stacks", project, "test.json");
      const isCopy = project === template.project;
      const { path, encryptedApiKey } = inject("stackTemplate");
      const stack = openStack({
        directory,
        stateFile,
        environment,
        service,
        program,
        encryptedApiKey: isCopy ? encryptedApiKey : undefined,
      });
      await (isCopy ? cp(path, root, { recursive: true }) : mkdir(directory));
      await program.write(directory, project);
      await (isCopy ? stack.configure(config) : succeedWith(stack, ["stack", "init"]));
      try {
        await useStack({ ...stack, beside: withProject });
      } catch (error) {
        // What failed is worth more than what cannot be cleaned up after it.
        await stack.pulumi(["cancel", "--yes"]);
        await stack.pulumi(["destroy", "--yes", "--skip-preview"]);
        throw error;
      }
      service.clearFaults();
      if ((await resourcesIn(stateFile)).length > 0) {
        await succeedWith(stack, ["destroy", "--yes", "--skip-preview"]);
      }
    };
    await withProject(template.project, use);
  });
  expect(service.webhooks).toEqual([]);
}

interface StackOptions {
  readonly directory: string;
  readonly stateFile: string;
  readonly environment: Environment;
  readonly service: LocalService;
  readonly program: Program;
  /** The key of the template, encrypted for this stack. */
  readonly encryptedApiKey: string | undefined;
}

function openStack({
  directory,
  stateFile,
  environment,
  service,
  program,
  encryptedApiKey,
}: StackOptions): Omit<TestStack, "beside"> {
  const configFile = join(directory, "Pulumi.test.yaml");
  const command = (args: readonly string[], extra?: Environment): Parameters<typeof start> => [
    "pulumi",
    [...args, "--stack", "test", "--non-interactive"],
    { directory, environment: { ...environment, ...extra } },
  ];
  const stack = {
    service,
    directory,
    environment,
    declare: (webhooks: Webhooks) => program.declare(directory, webhooks),
    declareText: (text: string) => writeFile(join(directory, "index.js"), text),
    declareProject: (project: object) => changeProject(directory, project),
    pulumi: (args: readonly string[], extra?: Environment) => run(...command(args, extra)),
    pulumiWithoutStack: (args: readonly string[], extra?: Environment) =>
      run("pulumi", [...args, "--non-interactive"], {
        directory,
        environment: { ...environment, ...extra },
      }),
    start: (args: readonly string[]) => {
      const [name, all, options] = command(args);
      return start(name, all, { ...options, isGroupLeader: true });
    },
    up: () => succeedWith(stack, ["up", "--yes", "--skip-preview"]),
    configure: async ({ [apiKeySetting]: apiKey, ...settings }: Config) => {
      const { config, ...rest } = parse(await readFile(configFile, "utf8")) ?? {};
      const encryptedKey = apiKey === template.apiKey ? encryptedApiKey : undefined;
      await writeJson(configFile, {
        ...rest,
        config: {
          ...config,
          ...settings,
          ...(encryptedKey !== undefined && { [apiKeySetting]: { secure: encryptedKey } }),
        },
      });
      if (apiKey !== undefined && encryptedKey === undefined) {
        await succeedWith(stack, ["config", "set", "--secret", apiKeySetting, apiKey]);
      }
    },
    outputs: async () =>
      JSON.parse(
        (await succeedWith(stack, ["stack", "output", "--json", "--show-secrets"])).stdout,
      ),
    resources: async () => webhooksByName(await resourcesIn(stateFile)),
    stateText: () => readFile(stateFile, "utf8"),
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

/** The resources in the file of a stack, webhooks and others. */
async function resourcesIn(stateFile: string): Promise<readonly StateResource[]> {
  const { checkpoint } = JSON.parse(await readFile(stateFile, "utf8"));
  return checkpoint.latest?.resources ?? [];
}

function webhooksByName(resources: readonly StateResource[]): Record<string, StateResource> {
  return Object.fromEntries(
    resources
      .filter(({ urn }) => isWebhook(urn))
      .map((resource) => [resource.urn.split("::").at(-1), resource]),
  );
}
