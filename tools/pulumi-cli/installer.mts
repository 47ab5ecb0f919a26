import { join } from "node:path";
import type { CachedTool } from "../cache.mts";
import { checkVersion, cliVersion, directoryOf, programsForNode, run } from "./build.mts";

/** Returns the CLI as Pulumi's official installer installs it, in a process that can be killed. */
export function installedCli(): CachedTool {
  return {
    title: "official installer",
    directory: directoryOf("installer", cliVersion, "official"),
    programs: programsForNode,
    install: async (directory, context) => {
      context.say(`official installer of Pulumi ${cliVersion}: this takes at most 5 minutes`);
      const program = join(import.meta.dirname, "installer-process.mts");
      await run(process.execPath, [program, cliVersion, directory], {
        // Without this variable, fetch of Node.js ignores HTTPS_PROXY; curl respects it anyway.
        env: { NODE_USE_ENV_PROXY: "1" },
        timeout: 5 * 60_000,
        cancelSignal: context.signal,
      });
      await checkVersion(directory, context);
    },
  };
}
