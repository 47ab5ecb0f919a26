import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { vi } from "vitest";
import type { CommandResult } from "../commands.ts";
import { noPromptFlags, type TestStack } from "../stack.ts";
import { type Choose, isChosen, oneOf, weighted } from "./random.ts";
import { holdCreations } from "./service-faults.ts";

/** A command of the Pulumi CLI. */
export interface WalkCommand {
  readonly args: readonly string[];
  /** Whether it gets ^C while a creation is in flight. */
  readonly isInterrupted: boolean;
  /** Whether it brings every resource up to date if it succeeds. */
  readonly isCompleteUp: boolean;
}

/** An `up` without further flags. */
export const plainUp = command("up", ...noPromptFlags);

export const plainRefresh = command("refresh", ...noPromptFlags);

export const finalDestroy = command("destroy", ...noPromptFlags);

const refreshingUp = command("up", ...noPromptFlags, "--refresh");
const refreshingUpWithProgram = command("up", ...noPromptFlags, "--refresh", "--run-program");
const refreshWithProgram = command("refresh", "--run-program", ...noPromptFlags);

/** The resources that a command may name. */
export interface WalkTargets {
  readonly urns: readonly string[];
  /** Those with an argument from a resource that has changed. */
  readonly dependentsOfChanged: readonly string[];
}

/** Returns a random command, which may name some of these resources. */
export function randomCommand(choose: Choose, targets: WalkTargets): WalkCommand {
  const { urns } = targets;
  const kind = weighted(choose, [
    [84, "up"],
    [3, "preview"],
    [2, "refresh"],
    [3, "refresh --run-program"],
    [3, "destroy --target"],
    [1, "destroy"],
    [4, "interrupted up"],
  ]);
  switch (kind) {
    case "preview":
      return command("preview", ...planFlags(choose, targets));
    case "refresh":
      return plainRefresh;
    case "refresh --run-program":
      return refreshWithProgram;
    case "destroy --target": {
      if (urns.length === 0) return plainUp;
      const flags = ["--target-dependents", "--target", oneOf(choose, urns)];
      return command("destroy", ...noPromptFlags, ...flags);
    }
    case "destroy":
      return finalDestroy;
    case "interrupted up":
      // Replaces a webhook, so that there is a creation.
      return {
        ...command(...plainUp.args, ...replaceFlags(choose, targets)),
        isInterrupted: true,
        isCompleteUp: false,
      };
    default: {
      const continueFlags = isChosen(choose, 15) ? ["--continue-on-error"] : [];
      return command("up", ...noPromptFlags, ...planFlags(choose, targets), ...continueFlags);
    }
  }
}

/** Returns a complete `up`, which may refresh first. */
export function randomCompleteUp(choose: Choose): WalkCommand {
  return weighted(choose, [
    [6, plainUp],
    [2, refreshingUp],
    [2, refreshingUpWithProgram],
  ]);
}

/** Returns a command that runs the program, and names no resources. */
export function randomUpOrPreview(choose: Choose): WalkCommand {
  return isChosen(choose, 15) ? command("preview") : randomCompleteUp(choose);
}

/** Returns a command for accounts that are wrong, which may replace or delete one of these resources. */
export function randomCommandOfWrongAccounts(choose: Choose, urns: readonly string[]): WalkCommand {
  const fallback = randomUpOrPreview(choose);
  const kind = weighted(choose, [
    [9, "up or preview"],
    [4, "refresh"],
    [2, "up --replace"],
    [1, "up --target"],
    [1, "destroy --target"],
    [1, "destroy"],
  ]);
  if (kind === "refresh") return isChosen(choose, 50) ? plainRefresh : refreshWithProgram;
  if (kind === "destroy") return finalDestroy;
  if (kind === "up or preview" || urns.length === 0) return fallback;
  const urn = oneOf(choose, urns);
  switch (kind) {
    case "up --replace":
      return command(...fallback.args, "--replace", urn);
    case "up --target":
      return command(...plainUp.args, "--target", urn);
    default:
      return command(...finalDestroy.args, "--target-dependents", "--target", urn);
  }
}

/** Flags that `up` and `preview` share. */
function planFlags(choose: Choose, targets: WalkTargets): string[] {
  const flags = weighted<string[]>(choose, [
    [10, []],
    [1, ["--refresh"]],
    [9, ["--refresh", "--run-program"]],
  ]).slice();
  const { urns } = targets;
  if (isChosen(choose, 50)) flags.push(...replaceFlags(choose, targets));
  if (urns.length > 0 && isChosen(choose, 4)) flags.push("--target", oneOf(choose, urns));
  return flags;
}

/** Prefers a resource that Pulumi may replace for two reasons at once. */
function replaceFlags(choose: Choose, { urns, dependentsOfChanged }: WalkTargets): string[] {
  if (urns.length === 0) return [];
  const isPreferred = dependentsOfChanged.length > 0 && isChosen(choose, 80);
  return ["--replace", oneOf(choose, isPreferred ? dependentsOfChanged : urns)];
}

/** Removes `--refresh` and `--run-program`. */
export function withoutRefresh({ args, ...rest }: WalkCommand): WalkCommand {
  const refreshFlags = ["--refresh", "--run-program"];
  return { ...rest, args: args.filter((arg) => !refreshFlags.includes(arg)) };
}

function command(...args: readonly string[]): WalkCommand {
  const isCompleteUp = args[0] === "up" && !args.includes("--target");
  return { args, isInterrupted: false, isCompleteUp };
}

/** Runs a command to its end. */
export async function runCommand(
  stack: TestStack,
  { args, isInterrupted }: WalkCommand,
  services: readonly LocalService[],
  variables: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  if (!isInterrupted) return stack.pulumi(args, variables);
  const { held, release } = holdCreations(services);
  const running = stack.start(args, variables);
  const hasCreation = await Promise.race([held.then(() => true), running.result.then(() => false)]);
  if (hasCreation) {
    // Signals the process group of Pulumi, as ^C in a terminal does.
    process.kill(-Number(running.child.pid), "SIGINT");
    const isCancelling = () => /cancell?ing/i.test(running.output());
    await vi.waitUntil(() => isCancelling() || running.child.exitCode !== null, 100_000);
  }
  release();
  return running.result;
}
