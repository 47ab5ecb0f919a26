import { shownValue } from "../common/plain-text.js";
import { importVariable } from "../common/setting-names.js";
import { failure } from "./messages/failure.js";
import { nameOfWebhook } from "./messages/names.js";
import { importText } from "./messages/notices.js";
import { outputsOf } from "./rules/arguments.js";
import { readDescribedWebhook } from "./rules/described-webhook.js";
import { type Properties, withWrappedSecret, wrapSecret } from "./rules/values.js";
import type { OperationDefinition } from "./run/operation.js";

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
export const importOperation: OperationDefinition<ImportRequest, ImportResult> = {
  name: ({ id }) => `Import webhook ${shownValue(id)}`,
  sensitive: (_request, environment) => ({ secret: environment[importVariable] }),
  onInvalidSettings: "unchanged",
  run: ({ environment, knownWebhooks, operation, settings, urn }, { id }) => {
    const webhook = readDescribedWebhook(environment, id);
    if ("problem" in webhook) {
      throw failure("notDescribed", operation, webhook.problem);
    }
    const { baseUrl } = settings;
    const { databaseId, url } = webhook.inputs;
    const line = importText(nameOfWebhook(id, databaseId));
    operation.notifyOnce(`${urn}: ${line}`, line);
    knownWebhooks.noteImported({ baseUrl, databaseId, id });
    // Pulumi does not pass on what the program declares, and a receiver's url is often a
    // credential.
    const inputs = { ...webhook.inputs, url: wrapSecret(url) };
    const { secret } = webhook;
    return { inputs, props: withWrappedSecret({ ...outputsOf(inputs), baseUrl, secret }) };
  },
};
