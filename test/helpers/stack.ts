import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type LocalService,
  type LocalServiceOptions,
  startLocalService,
} from "pulumi-dbwebhooks/local-service";
import { expect, inject } from "vitest";
import { parse } from "yaml";
import { someArgs } from "./builders.ts";
import { type CommandResult, type RunningCommand, run, start, succeed } from "./commands.ts";
import { textsBelow, withDirectory, writeJson } from "./directory.ts";
import { createWebhook } from "./local-service.ts";
import { javascriptProgram, type Program } from "./programs.ts";
import { stackEnvironment } from "./pulumi.ts";
import { type RecordedRequest, recordRequests } from "./recorder.mts";
import { template } from "./stack-template.ts";

type Texts = Readonly<Record<string, string>>;

/** A stack with a program, on the real CLI with a file backend. */
export type TestStack = Awaited<ReturnType<typeof openStack>>;

/** A resource as the state holds it. */
type StoredResource = Readonly<{ urn: string; id: string; outputs: Record<string, unknown> }>;

const isWebhook = ({ urn }: StoredResource) => urn.includes(":Webhook::");

/** The webhooks of a state, by resource name. */
type StoredWebhooks = Readonly<Record<string, StoredResource>>;

/** A webhook that was created without Pulumi. */
export type ExistingWebhook = Readonly<{ id: number; secret: string }>;

interface StackOptions {
  readonly program?: Program;
  /** By default the service accepts the key of the template. */
  readonly service?: LocalServiceOptions;
}

/** The flags of a command that waits for no confirmation. */
export const noPromptFlags = ["--yes", "--skip-preview"];

/**
 * Runs a test with a stack of its own, then removes it without the CLI, and asserts that the
 * service has no webhook that the state does not have.
 */
export async function withStack(
  use: (stack: TestStack) => Promise<void>,
  { program = javascriptProgram, service: options }: StackOptions = {},
): Promise<void> {
  await using service = await startLocalService(options);
  await withDirectory(async (root) => {
    await cp(inject("stackTemplate"), root, { recursive: true });
    using stack = await openStack(root, service, program);
    await program.write(stack.directory);
    await stack.configure({ "dbwebhooks:baseUrl": service.baseUrl });

    await use(stack);
    await expectNoUnknownWebhook(stack, service);
  });
}

/**
 * Asserts that the state has all webhooks of a service. It may also have webhooks that are gone.
 */
export async function expectNoUnknownWebhook(
  stack: TestStack,
  { webhooks }: LocalService,
): Promise<void> {
  const stored = (await stack.allResources()).filter(isWebhook);
  const known = stored.map(({ id }) => Number(id));
  expect(webhooks.filter(({ id }) => !known.includes(id))).toEqual([]);
}

/** Returns each request as its method and its Authorization header. */
export function methodsAndKeysOf(requests: readonly RecordedRequest[]): string[] {
  return requests.map(({ method, headers }) => `${method} ${headers.authorization}`);
}

/** Asserts that the state has each webhook of a service once, with its secret. */
export async function expectAgreement(stack: TestStack, { webhooks }: LocalService): Promise<void> {
  const outputs = await stack.outputs();
  const stored = Object.entries(await stack.storedWebhooks());
  const inState = stored.map(([name, { id }]) => [id, outputs[`${name}Secret`]]);
  expect(inState.toSorted()).toEqual(
    webhooks.map((webhook) => [String(webhook.id), webhook.secret]).toSorted(),
  );
}

/** Removes a webhook from the state, which deletes nothing at its service. */
export async function removeFromState(stack: TestStack, name: string): Promise<void> {
  const { urn = "" } = (await stack.storedWebhooks())[name] ?? {};
  const { exitCode, output } = await stack.pulumi(["state", "delete", urn, "--yes"]);
  expect(exitCode, output).toBe(0);
}

async function openStack(root: string, service: LocalService, program: Program) {
  const directory = join(root, template.project);
  const environment = await stackEnvironment(root);
  const configFile = join(directory, "Pulumi.test.yaml");
  const stateDirectory = join(root, "state");
  const stateFile = join(stateDirectory, ".pulumi/stacks", template.project, "test.json");
  const stateText = () => readFile(stateFile, "utf8");
  const command = (args: readonly string[], variables: Texts = {}, isGroupLeader = false) => {
    const options = { directory, environment: { ...environment, ...variables }, isGroupLeader };
    return ["pulumi", [...args, "--stack", "test", "--non-interactive"], options] as const;
  };
  /** Returns the result of a command, with the requests that the service got meanwhile. */
  const recording = async (runCommand: () => Promise<CommandResult>) => {
    const { requests, stop } = recordRequests(service);
    try {
      return { ...(await runCommand()), requests };
    } finally {
      stop();
    }
  };
  const started: RunningCommand[] = [];
  const allResources = async (): Promise<readonly StoredResource[]> =>
    JSON.parse(await stateText()).checkpoint.latest?.resources ?? [];
  return {
    service,
    directory,
    environment,
    allResources,
    /** The text of the state, with secrets as they are stored. */
    stateText,
    /** The texts that the backend keeps: the state, its copies and the history. */
    storedText: async () => Object.values(await textsBelow(stateDirectory)).join("\n"),
    /** Creates a webhook at the service without Pulumi, with these changes of the arguments. */
    createByHand: async (changes?: object): Promise<ExistingWebhook> => {
      const { databaseId, ...body } = someArgs(changes);
      const { json } = await createWebhook(service, { databaseId, body });
      return { id: json.id, secret: json.secret };
    },
    declare: program.declare.bind(program, directory),
    /**
     * Writes the text of a JavaScript program, in place of the one that `declare` gives webhooks
     * to.
     */
    writeProgram: (text: string) => writeFile(join(directory, "index.js"), text),
    /** Runs a command of the CLI on the stack, whatever its exit code. */
    pulumi: (args: readonly string[], variables?: Texts) =>
      recording(() => run(...command(args, variables))),
    /** Starts such a command in a process group of its own, for tests that interrupt it. */
    start: (args: readonly string[], variables?: Texts) => {
      const running = start(...command(args, variables, true));
      started.push(running);
      return running;
    },
    /** Ends the commands that a failed test has left. */
    [Symbol.dispose]: () => {
      for (const { child } of started) {
        child.kill("SIGKILL");
      }
    },
    up: (variables?: Texts) =>
      recording(() => succeed(...command(["up", ...noPromptFlags], variables))),
    destroy: (variables?: Texts) =>
      recording(() => succeed(...command(["destroy", ...noPromptFlags], variables))),
    /** Changes the stack's configuration; `undefined` removes a value. */
    configure: async (changes: Readonly<Record<string, string | undefined>>) => {
      const { config, ...rest } = parse(await readFile(configFile, "utf8"));
      await writeJson(configFile, { ...rest, config: { ...config, ...changes } });
    },
    /** The outputs of the stack, with secrets in clear text. */
    outputs: async (): Promise<Record<string, unknown>> => {
      const args = ["stack", "output", "--json", "--show-secrets"];
      return JSON.parse((await succeed(...command(args))).stdout);
    },
    storedWebhooks: async (): Promise<StoredWebhooks> => {
      const resources = await allResources();
      const webhooks = resources.filter(isWebhook);
      return Object.fromEntries(webhooks.map((one) => [one.urn.split("::").at(-1), one]));
    },
  };
}
