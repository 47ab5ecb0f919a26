import { join } from "node:path";
import { outputOf } from "./child.mts";
import type { CopyContext } from "./copies.mts";
import { pinnedVersion } from "./pins.mts";

const installLimitSeconds = 5 * 60;

/**
 * Runs Pulumi's official installer, as the Automation API offers it, into `directory`.
 *
 * It runs in a process of its own: it downloads over `curl` without any time limit, and only
 * killing it with its children ends that.
 */
export async function runInstaller(directory: string, context: CopyContext): Promise<void> {
  context.say(
    `installing the Pulumi CLI ${pinnedVersion} with the official installer, which may take up to ` +
      `${installLimitSeconds / 60} minutes`,
  );
  const program = join(import.meta.dirname, "installer-process.mts");

  await outputOf(process.execPath, [program, pinnedVersion, directory], {
    // Node's own fetch looks at HTTPS_PROXY only when told to; curl always does.
    env: { NODE_USE_ENV_PROXY: "1", ...context.environment },
    limitSeconds: installLimitSeconds,
    signal: context.signal,
    ownGroup: true,
  });
}
