// The account of a command outside of Pulumi: with the settings of the environment, and no engine.
import type { ClientContext, EndedCall } from "../../api/client.js";
import { Transport } from "../../api/transport.js";
import { type SettingName, settingNames, settingsTable } from "../../common/settings-table.js";
import type { MessageContext } from "../../provider/command/operation.js";
import { type Notify, Reporter } from "../../provider/command/reporter.js";
import { callText } from "../../provider/messages/call-text.js";
import { delayText } from "../../provider/messages/notices.js";
import { readSettings } from "../../provider/rules/settings.js";

/** Sends the requests of an account, and reports on them. */
export type Account = ClientContext & MessageContext;

// A list is requested on request, and a deletion after a 404 always looks it up.
const names = settingNames.filter((name) => name !== "listing");

const variableOf = (name: SettingName) => settingsTable[name].variable;

/** Reads the account from the environment. Throws if a setting is missing or not valid. */
export function readAccount(): Account {
  const variables = names.map(variableOf);
  const { settings, apiKey, problems } = readSettings({
    get: () => undefined,
    isExplicit: () => false,
    environment: Object.fromEntries(variables.map((name) => [name, process.env[name]])),
  });
  if (settings === undefined) {
    const texts = problems.map(({ name, problem }) => `${variableOf(name)} ${problem}.`);
    throw new Error([...texts, "Nothing was sent."].join("\n"));
  }
  const reporter = new Reporter("", notify, new Set(), () => [{ apiKeys: [apiKey] }]);
  const { send } = new Transport({ ...settings, apiKey }, new AbortController().signal);
  return {
    settings,
    reporter,
    send,
    onDelay: (delay) => reporter.notify(delayText(reporter, delay)),
  };
}

/**
 * Says how a request failed, and what to check, whatever the response was.
 *
 * @param result What it has left undone, without a full stop.
 */
export function failedCallText(account: Account, result: string, call: EndedCall): string {
  return `${result}: ${callText(account, call, variableOf)}. Check the id of the database, ${variableOf("apiKey")}, ${variableOf("baseUrl")} and the network: a login page, a firewall or a proxy may have responded in place of the service.`;
}

/** Writes a line beside the result, which goes to stdout. */
const notify: Notify = (line, severity) => {
  process.stderr.write(severity === "warning" ? `warning: ${line}\n` : `${line}\n`);
};
