import type { AccountOperation } from "./command/operation.js";
import { failed } from "./messages/error-message.js";
import { failures } from "./messages/failures.js";
import { importText } from "./messages/notices.js";
import { readDescribedWebhook } from "./rules/import-variable.js";
import { type Properties, withWrappedSecret, wrapSecret } from "./rules/values.js";

export interface ImportRequest {
  readonly id: string;
  /** The value of the environment variable that describes webhooks. */
  readonly description: string | undefined;
}

export interface ImportResult {
  readonly inputs: Properties;
  readonly props: Properties;
}

/**
 * Takes over a webhook that Pulumi does not know yet, as its description says. Nothing is
 * sent: the service does not reveal the secret again, and the program declares the arguments
 * anyway.
 */
export const importOperation: AccountOperation<ImportRequest, ImportResult> = {
  kind: "import",
  // Whoever swaps two values passes the secret as the id or as the database.
  name: () => "Import webhook",
  sensitive: ({ description }) => ({ description }),
  run: ({ knownWebhooks, reporter, settings, urn }, { id, description }) => {
    const described = readDescribedWebhook(id, description);
    if ("problem" in described) {
      throw failed(reporter, failures.notDescribed(described.problem));
    }
    const { baseUrl } = settings;
    const { webhook, inputs, secret } = described;
    const line = importText(id);
    if (reporter.noteShown(`${urn}: ${line}`)) {
      reporter.notify(line);
    }
    knownWebhooks.noteImported({ baseUrl, databaseId: webhook.databaseId, id });
    // Pulumi does not pass on what the program declares, and a receiver's url is often a
    // credential.
    const url = wrapSecret(webhook.url);
    const props = withWrappedSecret({ ...webhook, url, baseUrl, secret });
    return { inputs: { ...inputs, url }, props };
  },
};
