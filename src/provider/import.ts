import { failure } from "./messages/failure.js";
import { importText } from "./messages/notices.js";
import { outputsOf } from "./rules/arguments.js";
import { readDescribedWebhook } from "./rules/described-webhook.js";
import { type Properties, withWrappedSecret, wrapSecret } from "./rules/values.js";
import type { Operation } from "./run/operation.js";

interface ImportRequest {
  readonly id: string;
}

interface ImportResult {
  readonly inputs: Properties;
  readonly props: Properties;
}

/**
 * Takes over a webhook that Pulumi does not know yet, as the environment describes it. Nothing is
 * sent: the service does not reveal the secret again, and the program declares the arguments
 * anyway.
 */
export const importOperation: Operation<ImportRequest, ImportResult> = {
  // Whoever swaps two values passes the secret as the id or as the database.
  name: () => "Import webhook",
  sensitive: (_request, environment) => ({ environment }),
  onInvalidSettings: "unchanged",
  run: ({ environment, knownWebhooks, reporter, settings, urn }, { id }) => {
    const described = readDescribedWebhook(environment, id);
    if ("problem" in described) {
      throw failure("notDescribed", reporter, described.problem);
    }
    const { baseUrl } = settings;
    const { webhook, secret } = described;
    const { databaseId, url } = webhook;
    const line = importText(id);
    reporter.notifyOnce(`${urn}: ${line}`, () => line);
    knownWebhooks.noteImported({ baseUrl, databaseId, id });
    // Pulumi does not pass on what the program declares, and a receiver's url is often a
    // credential.
    const inputs = { ...described.inputs, url: wrapSecret(url) };
    return { inputs, props: withWrappedSecret({ ...outputsOf(inputs), baseUrl, secret }) };
  },
};
