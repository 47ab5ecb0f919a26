import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { vi } from "vitest";
import type { CommandResult } from "../commands.ts";
import { holdCreations } from "../faults/faults.mts";
import { noPromptFlags, type TestStack } from "../stack.ts";
import { type Choose, isChosen, oneOf, weighted } from "./random.ts";

/** A command of the Pulumi CLI. */
export interface WalkCommand {
  readonly args: readonly string[];
  /** Whether it gets ^C while a creation is in flight. */
  readonly isInterrupted?: boolean;
}

/** An `up` without further flags. */
export const plainUp: WalkCommand = { args: ["up", ...noPromptFlags] };

/** A `destroy` of everything. */
export const destroy: WalkCommand = { args: ["destroy", ...noPromptFlags] };

/** Returns an `up` that replaces one of these resources for no other reason. */
export function replacingUp(choose: Choose, urns: readonly string[]): WalkCommand {
  return { args: [...plainUp.args, ...flagFor(choose, "--replace", urns)] };
}

/** Returns a random command, which may name some of these resources. */
export function randomCommand(
  choose: Choose,
  urns: readonly string[],
  allowsRefresh: boolean,
): WalkCommand {
  const refreshWithProgram = allowsRefresh ? ["--refresh", "--run-program"] : [];
  const refreshFlags = oneOf(choose, [[], allowsRefresh ? ["--refresh"] : [], refreshWithProgram]);
  const planFlags = [
    ...refreshFlags,
    ...(isChosen(choose, 40) ? flagFor(choose, "--replace", urns) : []),
    ...(isChosen(choose, 5) ? flagFor(choose, "--target", urns) : []),
  ];
  const targetFlags = flagFor(choose, "--target", urns);
  const destroyTarget = [...destroy.args, "--target-dependents", ...targetFlags];
  // With further flags, Pulumi 3.274 once waited for ever for a dependent of a failed creation.
  const mayContinue = isChosen(choose, 15) && planFlags.length === 0;
  const continueFlags = mayContinue ? ["--continue-on-error"] : [];
  return weighted<WalkCommand>(choose, [
    [72, { args: [...plainUp.args, ...planFlags, ...continueFlags] }],
    [4, { args: ["preview", ...planFlags] }],
    [3, { args: ["refresh", ...noPromptFlags] }],
    [5, { args: ["refresh", ...noPromptFlags, ...refreshWithProgram.slice(1)] }],
    [6, urns.length === 0 ? plainUp : { args: destroyTarget }],
    [2, destroy],
    // Replaces a webhook, so that there is a creation.
    [8, { ...replacingUp(choose, urns), isInterrupted: true }],
  ]);
}

/** Whether a command brings every resource up to date if it succeeds. */
export function isCompleteUp({ args, isInterrupted = false }: WalkCommand): boolean {
  return args[0] === "up" && !args.includes("--target") && !isInterrupted;
}

/** Returns the arguments of a command, with names in place of URNs. */
export function wordsOf({ args, isInterrupted = false }: WalkCommand): string {
  const words = args.map((arg) => arg.split("::").at(-1)).join(" ");
  return isInterrupted ? `interrupted ${words}` : words;
}

/** Runs a command to its end. */
export async function runCommand(
  stack: TestStack,
  { args, isInterrupted = false }: WalkCommand,
  services: readonly LocalService[],
): Promise<CommandResult> {
  if (!isInterrupted) {
    return stack.pulumi(args);
  }
  const holds = services.map((service) => holdCreations(service, Number.POSITIVE_INFINITY));
  const held = Promise.any(holds.map(({ committed }) => committed));
  const running = stack.start(args);
  const hasCreation = await Promise.race([held.then(() => true), running.result.then(() => false)]);
  if (hasCreation) {
    // Signals the process group of Pulumi, as ^C in a terminal does.
    process.kill(-Number(running.child.pid), "SIGINT");
    const isCancelling = () => /cancell?ing/i.test(running.output());
    await vi.waitUntil(() => isCancelling() || running.child.exitCode !== null, 100_000);
  }
  for (const { release } of holds) {
    release();
  }
  return running.result;
}

function flagFor(choose: Choose, flag: string, urns: readonly string[]): readonly string[] {
  return urns.length === 0 ? [] : [flag, oneOf(choose, urns)];
}
