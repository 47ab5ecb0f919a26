import type { dynamic } from "@pulumi/pulumi";
import { shownValue } from "../common/redact.js";
import { nameOfWebhook } from "../service/advice.js";
import { deleteWebhook } from "../service/client.js";
import { presentErrors, WebhookError } from "../service/errors.js";
import { notify } from "../service/notify.js";
import {
  adoptedSecretHint,
  adoptWebhook,
  leaveToAdopt,
  noteAdopt,
  noteDeletion,
  noteUnchanged,
} from "./adopt.js";
import { problemsOfArguments, webhookAddress } from "./check.js";
import { createOrUndo } from "./create.js";
import { diffWebhook, idToAdopt } from "./diff.js";
import { findWebhook } from "./drift.js";
import { tableEventsHint } from "./hints.js";
import { noteKnown } from "./leftover.js";
import { adoptionConflict, announceReplacement, endReplacement } from "./replacement.js";
import {
  configure,
  currentAccount,
  currentConfig,
  isRefreshOnly,
  noteCheck,
  noteRead,
  sensitiveValues,
} from "./session.js";
import {
  completeInputs,
  failuresOf,
  normalizeInputs,
  type Properties,
  withoutAbsent,
  withSecretMarked,
  withSecretsBare,
} from "./state.js";

const localArguments = ["allowUnknownEvents", "allowInsecureUrl"];

/** Reports everything that is wrong with the arguments and the configuration. Sends nothing. */
export async function check(olds: Properties, news: Properties): Promise<dynamic.CheckResult> {
  return presentErrors(
    "Check webhook",
    () => sensitiveValues(news),
    async () => {
      noteCheck();
      const inputs = withoutAbsent(news);
      const problems = [...(currentConfig().problems ?? []), ...problemsOfArguments(inputs)];
      if (problems.length > 0) {
        return { inputs, failures: failuresOf(problems) };
      }
      noteAdopt(currentAccount("Check webhook"), inputs);
      // Old arguments are missing where a webhook is about to be created, and only there.
      notifyIf(Object.keys(olds).length === 0 ? tableEventsHint(inputs) : undefined);
      return { inputs: normalizeInputs(inputs) };
    },
  );
}

/** Compares the state with the arguments and the base URL. Every difference replaces. */
export async function diff(
  id: string,
  olds: Properties,
  news: Properties,
): Promise<dynamic.DiffResult> {
  return presentErrors(
    `Compare webhook ${id}`,
    () => sensitiveValues(olds),
    async () => {
      const state = withSecretsBare(olds);
      const { settings } = currentConfig();
      const differences = diffWebhook(id, state, news, settings?.baseUrl);
      const address = webhookAddress.safeParse({ ...state, id }).data;
      const current = settings && address && currentAccount("Compare webhook");
      if (current) {
        noteKnown(current, address);
      }
      const replaces = differences.map(({ property }) => property);
      const result = replaces.length === 0 ? { changes: false } : { changes: true, replaces };
      if (isRefreshOnly()) {
        // It has said what it found. What the program says is known by the next update only.
        return result;
      }
      if (differences.length === 0) {
        if (current) {
          noteUnchanged(current, address, news);
        }
        notifyIf(adoptedSecretHint(id, state, news));
        return result;
      }
      if (idToAdopt(news) === id) {
        throw adoptionConflict(id, state, differences);
      }
      notify(announceReplacement(id, state, news, differences));
      return result;
    },
  );
}

/** Creates the webhook and returns its secret for Pulumi to encrypt. */
export async function create(inputs: Properties): Promise<dynamic.CreateResult> {
  return presentErrors(
    "Create webhook",
    () => sensitiveValues(inputs),
    async () => {
      const current = currentAccount("Create webhook");
      const webhook = completeInputs(inputs);
      const { adopt, ...declared } = inputs;
      const stored = { ...declared, baseUrl: current.settings.baseUrl };
      const { id, secret } = webhook.adopt
        ? await adoptWebhook(current, webhook, webhook.adopt)
        : await createOrUndo(current, webhook, stored, sensitiveValues(inputs));
      return { id, outs: withSecretMarked({ ...stored, secret }) };
    },
  );
}

/**
 * Returns the state as it is: reading a webhook is not described by the service's interface. With
 * `listing` the webhook is looked up; what is gone gets no id, and the secret is never touched.
 */
export async function read(id: string, props: Properties): Promise<dynamic.ReadResult> {
  return presentErrors(
    `Read webhook ${shownValue(id)}`,
    () => sensitiveValues(props),
    async () => {
      noteRead();
      const kept = { id, props: withSecretMarked(props) };
      const state = withSecretsBare(props);
      const address = webhookAddress.safeParse({ ...state, id }).data;
      if (currentConfig().settings?.listing !== true || address === undefined) {
        return kept;
      }
      const finding = await findWebhook(currentAccount("Read webhook"), address, state);
      if (finding.kind === "gone") {
        return { id: "", props: {} };
      }
      return finding.kind === "found"
        ? { id, props: withoutAbsent({ ...kept.props, ...finding.drift }) }
        : kept;
    },
  );
}

/**
 * Keeps the old outputs, the secret among them, and takes over the arguments that never reach the
 * service. Nothing is sent: updating a webhook is not described by the service's interface.
 */
export async function update(
  _id: string,
  olds: Properties,
  news: Properties,
): Promise<dynamic.UpdateResult> {
  const isLocal = ([name]: [string, unknown]) => localArguments.includes(name);
  const kept = Object.entries(olds).filter((entry) => !isLocal(entry));
  const taken = Object.entries(withoutAbsent(news)).filter(isLocal);
  return { outs: withSecretMarked(Object.fromEntries([...kept, ...taken])) };
}

/** Deletes the webhook where it was created. */
async function remove(id: string, props: Properties): Promise<void> {
  const state = withSecretsBare(props);
  const sensitive = () => sensitiveValues(state);
  const operation = `Delete webhook ${shownValue(id)}`;
  return presentErrors(operation, sensitive, async () => {
    const address = webhookAddress.safeParse({ ...state, id }).data;
    if (address === undefined) {
      throw new WebhookError(
        `${operation} failed: its state holds no usable id, databaseId and baseUrl. Nothing was sent. Delete the webhook by hand, then remove it with "pulumi state delete".`,
      );
    }
    const current = currentAccount(
      `${operation} of database ${address.databaseId}`,
      'The webhook stays in the state. "pulumi destroy" reads the environment, but not what "pulumi config set" has changed since the last "pulumi up". ',
    );
    if (leaveToAdopt(current, address)) {
      notify(
        `${nameOfWebhook(id, address.databaseId)} was replaced by itself, because adopt names it. It was not deleted and its secret is the same; remove adopt before you replace it.`,
      );
      return;
    }
    noteKnown(current, address);
    const outcome = await deleteWebhook(current, address, { sensitiveValues: sensitive() });
    endReplacement(id);
    noteDeletion(current, address);
    if (outcome === "absent") {
      notify(
        `${nameOfWebhook(id, address.databaseId)} was already gone from the service, which answers the same to a key without access to its database.`,
      );
    }
  });
}

export { configure, remove as delete };

({
  configure,
  check,
  diff,
  create,
  read,
  update,
  delete: remove,
}) satisfies dynamic.ResourceProvider;

function notifyIf(line: string | undefined): void {
  if (line !== undefined) {
    notify(line);
  }
}
