import { assertNodeVersion } from "../../common/node-version.js";
import { EngineMonitor } from "../../provider/command/engine-monitor.js";
import type { Notify } from "../../provider/command/reporter.js";
import { WebhookProvider } from "../../provider/webhook-provider.js";

/** Returns a provider outside of Pulumi: with the settings of the environment, and no engine. */
export function environmentProvider(): WebhookProvider {
  assertNodeVersion("pulumi-dbwebhooks");
  const source = {
    get: () => undefined,
    isExplicit: () => false,
    hasStack: false,
    environment: process.env,
  };
  return new WebhookProvider(source, new EngineMonitor(undefined, () => {}));
}

/** Writes a line beside the result, which goes to stdout. */
export const notify: Notify = (line, severity) => {
  process.stderr.write(severity === "warning" ? `warning: ${line}\n` : `${line}\n`);
};
