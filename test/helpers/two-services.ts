import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect } from "vitest";
import type { Program, Webhooks } from "./programs.ts";
import { recordRequests } from "./recorder.mts";
import {
  expectNoUnknownWebhook,
  methodsAndKeysOf,
  noPromptFlags,
  type TestStack,
  withStack,
} from "./stack.ts";

type Variables = Readonly<Record<string, string>>;

/** The arguments or settings of an account. */
export const accountOf = ({ baseUrl }: LocalService, apiKey: string) => ({ baseUrl, apiKey });

/** The keys that the two services accept. */
export const keys = { old: "local-api-key", oldNext: "old-next-key", new: "new-key" };

/** The outcome of a command, and the requests that each service got, with their keys. */
interface CommandOutcome {
  readonly isSuccess: boolean;
  readonly output: string;
  readonly sentToOld: readonly string[];
  readonly sentToNew: readonly string[];
}

/** A stack that uses one service, and another service to which its webhooks move. */
export interface TwoServices {
  readonly stack: TestStack;
  readonly oldService: LocalService;
  readonly newService: LocalService;
  /** Runs a command on the stack, whatever its exit code. */
  run(args: readonly string[], variables?: Variables): Promise<CommandOutcome>;
  up(variables?: Variables, args?: readonly string[]): Promise<CommandOutcome>;
  /** Sets the address and the key in the stack's configuration. */
  configure(service: LocalService, apiKey: string | undefined): Promise<void>;
}

/** Two webhooks of the default provider. */
export const webhooks: Webhooks = {
  orders: {},
  invoices: { args: { databaseId: "base_invoices" } },
};

/** The same two webhooks, with an explicit provider of this name. */
export function webhooksOf(provider: string): Webhooks {
  const declared = Object.entries(webhooks).map(([name, one]) => [name, { ...one, provider }]);
  return Object.fromEntries(declared);
}

/**
 * The outcome of an update that creates both webhooks at the new service, and deletes the old ones.
 */
export const moved = {
  isSuccess: true,
  sentToOld: Array(2).fill(`DELETE Bearer ${keys.old}`),
  sentToNew: Array(2).fill(`POST Bearer ${keys.new}`),
};
/** The outcome of a command that fails before it sends anything. */
export const refused = { isSuccess: false, sentToOld: [], sentToNew: [] };
/** The outcome of a command that succeeds and sends nothing. */
export const unchanged = { ...refused, isSuccess: true };

/**
 * Runs a test with a stack and two services, and asserts that the state has all webhooks of both at
 * the end.
 */
export function withTwoServices(
  program: Program,
  use: (services: TwoServices) => Promise<void>,
): Promise<void> {
  const service = { apiKeys: [keys.old, keys.oldNext] };
  return withStack(
    async (stack) => {
      await using newService = await startLocalService({ apiKeys: [keys.new] });
      const run: TwoServices["run"] = async (args, variables) => {
        const recorder = recordRequests(newService);
        const { exitCode, output, requests } = await stack.pulumi(args, variables);
        recorder.stop();
        return {
          isSuccess: exitCode === 0,
          output,
          sentToOld: methodsAndKeysOf(requests).toSorted(),
          sentToNew: methodsAndKeysOf(recorder.requests).toSorted(),
        };
      };
      await use({
        stack,
        oldService: stack.service,
        newService,
        run,
        up: (variables, args = []) => run(["up", ...noPromptFlags, ...args], variables),
        configure: ({ baseUrl }, apiKey) =>
          stack.configure({ "dbwebhooks:baseUrl": baseUrl, "dbwebhooks:apiKey": apiKey }),
      });
      await expectNoUnknownWebhook(stack, newService);
    },
    { program, service },
  );
}

/** Changes the text of a state through an export and an import. */
export async function editState(stack: TestStack, edit: (text: string) => string): Promise<void> {
  const file = join(stack.directory, "state.json");
  await stack.pulumi(["stack", "export", "--file", file]);
  await writeFile(file, edit(await readFile(file, "utf8")));
  const { exitCode, output } = await stack.pulumi(["stack", "import", "--file", file]);
  expect(exitCode, output).toBe(0);
}

/** Removes the webhooks that a stack still has to delete from its state. */
export function removeLeftWebhooks(stack: TestStack): Promise<void> {
  return editState(stack, (text) => {
    const { deployment, ...rest } = JSON.parse(text);
    const isKept = ({ delete: isLeft, type }: { delete?: boolean; type: string }) =>
      !isLeft || !type.endsWith(":Webhook");
    const resources = deployment.resources.filter(isKept);
    return JSON.stringify({ ...rest, deployment: { ...deployment, resources } });
  });
}
