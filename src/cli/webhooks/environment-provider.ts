import { settingNames, settingsTable } from "../../common/settings-table.js";
import { EngineMonitor } from "../../provider/command/engine-monitor.js";
import type { Notify } from "../../provider/command/reporter.js";
import { WebhookProvider } from "../../provider/webhook-provider.js";

// A list is requested on request, and a deletion after a 404 always looks it up.
const names = settingNames.filter((name) => name !== "listing");

/** Returns a provider outside of Pulumi: with the settings of the environment, and no engine. */
export function environmentProvider(): WebhookProvider {
  const variables = names.map((name) => settingsTable[name].variable);
  const source = {
    get: () => undefined,
    isExplicit: () => false,
    hasStack: false,
    environment: Object.fromEntries(variables.map((name) => [name, process.env[name]])),
  };
  return new WebhookProvider(source, new EngineMonitor(undefined, () => {}));
}

/** Writes a line beside the result, which goes to stdout. */
export const notify: Notify = (line, severity) => {
  process.stderr.write(severity === "warning" ? `warning: ${line}\n` : `${line}\n`);
};
