import { type Choose, isChosen, oneOf, weighted } from "./random.ts";

/** A command of the Pulumi CLI. */
export interface WalkCommand {
  readonly args: readonly string[];
  /** Whether it gets ^C while a creation is in flight. */
  readonly isInterrupted: boolean;
}

/** An `up` without further flags. */
export const plainUp: WalkCommand = {
  args: ["up", "--yes", "--skip-preview"],
  isInterrupted: false,
};

export const finalDestroy: WalkCommand = {
  args: ["destroy", "--yes", "--skip-preview"],
  isInterrupted: false,
};

/** Returns a random command, which may name some of these resources. */
export function randomCommand(choose: Choose, urns: readonly string[]): WalkCommand {
  const prompt = ["--yes", "--skip-preview"];
  const command = (...args: readonly string[]) => ({ args, isInterrupted: false });
  const kind = weighted(choose, [
    [70, "up"],
    [6, "preview"],
    [4, "refresh"],
    [4, "refresh --run-program"],
    [6, "destroy --target"],
    [3, "destroy"],
    [5, "interrupted up"],
  ]);
  switch (kind) {
    case "preview":
      return command("preview", ...upFlags(choose, urns));
    case "refresh":
      return command("refresh", ...prompt);
    case "refresh --run-program":
      return command("refresh", "--run-program", ...prompt);
    case "destroy --target":
      return urns.length === 0
        ? plainUp
        : command("destroy", ...prompt, "--target-dependents", "--target", oneOf(choose, urns));
    case "destroy":
      return finalDestroy;
    case "interrupted up":
      return { ...plainUp, isInterrupted: true };
    default:
      return command("up", ...prompt, ...upFlags(choose, urns));
  }
}

function upFlags(choose: Choose, urns: readonly string[]): string[] {
  const flags = weighted(choose, [
    [10, []],
    [2, ["--refresh"]],
    [8, ["--refresh", "--run-program"]],
  ]).slice();
  if (urns.length > 0 && isChosen(choose, 30)) flags.push("--replace", oneOf(choose, urns));
  if (urns.length > 0 && isChosen(choose, 8)) flags.push("--target", oneOf(choose, urns));
  if (isChosen(choose, 20)) flags.push("--continue-on-error");
  return flags;
}
