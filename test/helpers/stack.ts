import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type LocalService,
  type LocalServiceOptions,
  startLocalService,
} from "pulumi-dbwebhooks/local-service";
import { aroundAll, expect, inject, onTestFinished } from "vitest";
import { parse } from "yaml";
import { withDirectory, writeJson } from "./directory.js";
import { createWebhook } from "./local-service.js";
import { succeed } from "./package.js";
import {
  javascriptProgram,
  type Program,
  type Providers,
  type Webhooks,
  webhookArgs,
} from "./programs.js";
import { run, stackEnvironment, start } from "./pulumi.js";
import { template } from "./stack-template.js";

type Texts = Readonly<Record<string, string>>;

/** A stack of a program with webhooks, on the real CLI with a file backend. */
export type TestStack = Awaited<ReturnType<typeof openStack>>;

/** What the state holds of one resource. */
interface StateResource {
  readonly urn: string;
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** A webhook that was created without Pulumi. */
export interface ExistingWebhook {
  readonly id: number;
  readonly secret: string;
}

interface StackOptions {
  readonly program?: Program;
  /** By default the service accepts the key of the template. */
  readonly service?: LocalServiceOptions;
  /** Whether the stack's configuration has the base URL and the key of the service. */
  readonly isConfigured?: boolean;
}

/** The flags of a command that waits for no confirmation. */
export const noPromptFlags = ["--yes", "--skip-preview"];

/** Runs a test with a stack of its own, then destroys it and asserts that the service is empty. */
export async function withStack(
  use: (stack: TestStack) => Promise<void>,
  { program = javascriptProgram, service: options, isConfigured = true }: StackOptions = {},
): Promise<void> {
  await using service = await startLocalService(options);
  await withDirectory(async (root) => {
    await cp(inject("stackTemplate"), root, { recursive: true });
    const stack = await openStack(root, service, program);
    await program.write(stack.directory, template.project);
    if (isConfigured) {
      await stack.configure({ "dbwebhooks:baseUrl": service.baseUrl });
    } else {
      await stack.configure({}, {});
    }

    await use(stack);
    service.clearFaults();
    if ((await stack.allResources()).length > 0) {
      await succeed("pulumi", ...stack.command(["destroy", ...noPromptFlags]));
    }
  });
  expect(service.webhooks).toEqual([]);
}

/**
 * Opens one stack for all tests of a `describe`, and returns a function that returns it. The tests run in
 * their order, and each goes on from the stack that the one before left.
 */
export function shareStack(options: StackOptions): () => TestStack {
  let shared: TestStack | undefined;
  aroundAll(async (runTests) => {
    await withStack(async (stack) => {
      shared = stack;
      await runTests();
    }, options);
  });
  return () => shared as TestStack;
}

/**
 * Starts another service for all tests of a `describe`, and asserts that it is empty afterwards. Stands
 * before `shareStack` where the stack has webhooks there, so that it outlives the stack.
 */
export function shareService(options?: LocalServiceOptions): () => LocalService {
  let shared: LocalService | undefined;
  aroundAll(async (runTests) => {
    await using service = await startLocalService(options);
    shared = service;
    await runTests();
    expect(service.webhooks).toEqual([]);
  });
  return () => shared as LocalService;
}

async function openStack(root: string, service: LocalService, program: Program) {
  const directory = join(root, template.project);
  const environment = await stackEnvironment(root);
  const configFile = join(directory, "Pulumi.test.yaml");
  const stateFile = join(root, "state/.pulumi/stacks", template.project, "test.json");
  const stateText = () => readFile(stateFile, "utf8");
  const command = (args: readonly string[], more: Texts = {}, isGroupLeader = false) =>
    [
      [...args, "--stack", "test", "--non-interactive"],
      { directory, environment: { ...environment, ...more }, isGroupLeader },
    ] as const;
  const allResources = async (): Promise<readonly StateResource[]> =>
    JSON.parse(await stateText()).checkpoint.latest?.resources ?? [];
  return {
    service,
    directory,
    environment,
    command,
    allResources,
    /** The text of the state, with secrets as they are stored. */
    stateText,
    /** Changes the text of the state, as somebody with access to the backend can. */
    editState: async (change: (text: string) => string) =>
      writeFile(stateFile, change(await stateText())),
    /** Creates a webhook at the service without Pulumi, with these changes of the arguments. */
    createByHand: async (changes?: object): Promise<ExistingWebhook> => {
      const { databaseId, ...body } = webhookArgs(changes);
      const { json } = await createWebhook(service, { databaseId, body });
      return { id: json.id, secret: json.secret };
    },
    declare: (webhooks: Webhooks, providers?: Providers) =>
      program.declare(directory, webhooks, providers),
    /** Writes a JavaScript program in place of the one that `declare` feeds. */
    declareText: (text: string) => writeFile(join(directory, "index.js"), text),
    /** Runs a command of the CLI on the stack, whatever its exit code. */
    pulumi: (args: readonly string[], more?: Texts) => run("pulumi", ...command(args, more)),
    /** Starts such a command in a process group of its own, for tests that interrupt it. */
    start: (args: readonly string[]) => {
      const running = start("pulumi", ...command(args, {}, true));
      onTestFinished(() => void running.child.kill("SIGKILL"));
      return running;
    },
    up: (more?: Texts) => succeed("pulumi", ...command(["up", ...noPromptFlags], more)),
    /** Changes the stack's configuration, or replaces it if `base` is given. */
    configure: async (changes: Texts, base?: Texts) => {
      const { config, ...rest } = parse(await readFile(configFile, "utf8"));
      await writeJson(configFile, { ...rest, config: { ...(base ?? config), ...changes } });
    },
    /** The outputs of the stack, with secrets in clear text. */
    outputs: async (): Promise<Record<string, unknown>> => {
      const words = ["stack", "output", "--json", "--show-secrets"];
      return JSON.parse((await succeed("pulumi", ...command(words))).stdout);
    },
    /** The webhooks in the state, by resource name. */
    resources: async (): Promise<Record<string, StateResource>> => {
      const webhooks = (await allResources()).filter(({ urn }) =>
        urn.includes(`::${program.type}::`),
      );
      return Object.fromEntries(webhooks.map((one) => [one.urn.split("::").at(-1), one]));
    },
  };
}

/** Holds back the response to the next creation; `committed` is fulfilled when the service has made it. */
export function holdCreation(service: LocalService) {
  const fault = { kind: "hold", commit: true } as const;
  const held = service.inject({ on: "POST", fault, times: 1 });
  const committed = service.nextRequest({ on: "POST", stage: "committed" });
  return { committed, release: () => held.release() };
}
