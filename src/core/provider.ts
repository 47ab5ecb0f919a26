import { oneLine } from "../common/redact.js";
import { nameOfWebhook } from "../service/advice.js";
import { type Account, deleteWebhook } from "../service/client.js";
import { presentable, WebhookError } from "../service/errors.js";
import { type Notify, Operation } from "../service/operation.js";
import { createTransport } from "../service/transport.js";
import {
  adoptedSecretHint,
  adoptionConflict,
  adoptWebhook,
  keepOwner,
  mustStay,
  noteAdopt,
} from "./adopt.js";
import { argumentsThat } from "./arguments.js";
import {
  type CheckResult,
  checkArguments,
  problemsOfArguments,
  tableEventsHint,
  type WebhookInputs,
} from "./check.js";
import { type ConfigResult, type ConfigSource, readConfig } from "./config.js";
import { createForState } from "./create.js";
import { type Comparison, compareWebhook, replacementWarning } from "./diff.js";
import type { Engine } from "./engine.js";
import { Ledger } from "./ledger.js";
import { findWebhook } from "./read.js";
import { addressOf, hiddenValues, idToAdopt, stateOf } from "./state.js";
import {
  isUnknown,
  type Properties,
  withoutAbsent,
  withSecretMarked,
  withSecretsBare,
} from "./values.js";

/** A webhook as Pulumi stores it: its id, and its properties with the secret marked. */
export interface StoredWebhook {
  readonly id: string;
  readonly properties: Record<string, unknown>;
}

/**
 * The rules of the resource, for one configured provider: what a shell hands over is in Pulumi's terms,
 * and what happens is decided here. All errors are {@link WebhookError}s, fit to be shown.
 */
export class WebhookProvider {
  readonly #source: ConfigSource;
  readonly #engine: Engine;
  readonly #ledger = new Ledger();
  #config: ConfigResult | undefined;
  #account: Account | undefined;

  /** Keeps the configuration for the first operation that needs it. Never throws. */
  constructor(source: ConfigSource, engine: Engine) {
    this.#source = source;
    this.#engine = engine;
  }

  /** Reports everything that is wrong with the arguments and the configuration. Sends nothing. */
  async check(olds: Properties, news: Properties, notify: Notify): Promise<CheckResult> {
    return this.#run("Check webhook", news, notify, async (operation) => {
      this.#ledger.hasChecked = true;
      const { settings, problems = [] } = this.#readConfig();
      const result = checkArguments(news, problems);
      if (settings !== undefined && result.failures.length === 0) {
        noteAdopt(this.#ledger, settings.baseUrl, result.inputs);
        // Old arguments are missing where a webhook is about to be created, and only there.
        const hint = Object.keys(olds).length === 0 ? tableEventsHint(result.inputs) : undefined;
        notifyIf(operation, hint);
      }
      return result;
    });
  }

  /** Compares the state with the arguments and the base URL. Sends nothing. */
  async diff(id: string, olds: Properties, news: Properties, notify: Notify): Promise<Comparison> {
    return this.#run(`Compare webhook ${id}`, olds, notify, async (operation) => {
      const state = withSecretsBare(olds);
      const { settings } = this.#readConfig();
      const comparison = compareWebhook(id, state, news, settings?.baseUrl);
      const address = addressOf(id, state);
      if (address !== undefined) {
        // From now on this run knows the webhook.
        this.#ledger.entryOf(address);
      }
      if (this.#ledger.hasRead && !this.#ledger.hasChecked) {
        // A plain refresh does not run the program, so there are no new arguments to compare.
        return comparison;
      }
      if (comparison.differences.length === 0) {
        if (settings !== undefined && address !== undefined) {
          keepOwner(this.#ledger, address, news);
        }
        notifyIf(operation, adoptedSecretHint(id, state, news));
        return comparison;
      }
      if (idToAdopt(news) === id) {
        throw adoptionConflict(id, state, comparison.differences);
      }
      operation.warn(replacementWarning(id, state, comparison.differences));
      return comparison;
    });
  }

  /** Creates the webhook, or takes one over, and returns its secret for Pulumi to encrypt. */
  async create(inputs: Properties, notify: Notify): Promise<StoredWebhook> {
    return this.#run(createName(inputs), inputs, notify, async (operation) => {
      const account = this.#openAccount("Create webhook");
      const webhook = completeInputs(inputs);
      const state = stateOf(inputs, account.settings.baseUrl);
      const context = { account, ledger: this.#ledger, engine: this.#engine, operation };
      const { id, secret } = webhook.adopt
        ? await adoptWebhook(account, this.#ledger, operation, webhook, webhook.adopt)
        : await createForState(context, webhook, state);
      return { id, properties: withSecretMarked({ ...state, secret }) };
    });
  }

  /**
   * Returns the state as it is: reading a webhook is not described by the service's interface. With
   * `listing` the webhook is looked up. One that is gone is `undefined`; the secret never changes.
   */
  async read(id: string, props: Properties, notify: Notify): Promise<StoredWebhook | undefined> {
    return this.#run(`Read webhook ${id}`, props, notify, async (operation) => {
      this.#ledger.hasRead = true;
      const kept = { id, properties: withSecretMarked(props) };
      const state = withSecretsBare(props);
      const address = addressOf(id, state);
      if (this.#readConfig().settings?.listing !== true || address === undefined) {
        return kept;
      }
      const account = this.#openAccount("Read webhook");
      const finding = await findWebhook(account, this.#ledger, operation, address, state);
      if (finding.kind === "gone") {
        return undefined;
      }
      return finding.kind === "found"
        ? { id, properties: withoutAbsent({ ...kept.properties, ...finding.drift }) }
        : kept;
    });
  }

  /**
   * Keeps the old outputs, the secret among them, and takes over the arguments that never reach the
   * service. Sends nothing: updating a webhook is not described by the service's interface.
   */
  update(olds: Properties, news: Properties): Record<string, unknown> {
    const names: readonly string[] = argumentsThat("local");
    const isLocal = ([name]: [string, unknown]) => names.includes(name);
    const kept = Object.entries(olds).filter((entry) => !isLocal(entry));
    const taken = Object.entries(withoutAbsent(news)).filter(isLocal);
    return withSecretMarked(Object.fromEntries([...kept, ...taken]));
  }

  /** Deletes the webhook where it was created. */
  async delete(id: string, props: Properties, notify: Notify): Promise<void> {
    const state = withSecretsBare(props);
    const address = addressOf(id, state);
    const name = address ? nameOfWebhook(id, address.databaseId) : `webhook ${id}`;
    return this.#run(`Delete ${name}`, state, notify, async (operation) => {
      if (address === undefined) {
        throw new WebhookError(
          `${operation.name} failed: its state holds no usable id, databaseId and baseUrl. Nothing was sent. Delete the webhook by hand, then remove it with "pulumi state delete".`,
        );
      }
      const account = this.#openAccount(
        operation.name,
        'The webhook stays in the state. "pulumi destroy" reads the environment, but not what "pulumi config set" has changed since the last "pulumi up". ',
      );
      if (mustStay(this.#ledger, address)) {
        operation.warn(
          `Replaced ${name} by itself, because adopt names it: it was not deleted, and its secret is the same. Remove adopt before you replace it.`,
        );
        return;
      }
      const deletion = await deleteWebhook(account, operation, address);
      if (deletion.kind === "failed") {
        const { failure } = deletion;
        const advice = `The webhook stays in the state. ${failure.advice}`;
        throw new WebhookError({ ...failure, advice });
      }
      this.#ledger.entryOf(address).isDeleted = true;
      if (deletion.kind === "absent") {
        operation.notify(
          `The service did not have ${name} any more. It answers the same to a key without access to the database.`,
        );
      }
    });
  }

  async #run<Result>(
    name: string,
    properties: Properties,
    notify: Notify,
    run: (operation: Operation) => Promise<Result>,
  ): Promise<Result> {
    const hidden = () => {
      const apiKey = this.#config?.settings?.apiKey;
      return [...(apiKey === undefined ? [] : [apiKey]), ...hiddenValues(properties)];
    };
    const operation = new Operation(name, notify, hidden);
    try {
      return await run(operation);
    } catch (error) {
      throw presentable(error, operation);
    }
  }

  /** The settings, or what is wrong with them. */
  #readConfig(): ConfigResult {
    this.#config ??= readConfig(this.#source);
    return this.#config;
  }

  /** The account to talk to; an error that names the operation when the settings are not all right. */
  #openAccount(operation: string, advice = ""): Account {
    const { settings, problems } = this.#readConfig();
    if (settings === undefined) {
      const what = `${oneLine(operation, 300)} failed: ${problems.join(". ")}`;
      throw new WebhookError(`${what}. ${advice}Nothing was sent.`);
    }
    this.#account ??= { settings, transport: createTransport(settings) };
    return this.#account;
  }
}

function createName({ databaseId }: Properties): string {
  return typeof databaseId === "string"
    ? `Create webhook in database ${databaseId}`
    : "Create webhook";
}

/**
 * The arguments of a webhook that is about to be created. Pulumi leaves out what it does not know yet
 * from a creation, and half a webhook is worse than none.
 */
function completeInputs(inputs: Properties): WebhookInputs {
  const known = withoutAbsent(inputs);
  const [problem] = problemsOfArguments(known);
  if (problem !== undefined || isUnknown(known)) {
    throw new WebhookError(
      `Create webhook failed: ${problem ?? "not all arguments are known"}. Nothing was sent. Run "pulumi up" again.`,
    );
  }
  return known as WebhookInputs;
}

function notifyIf(operation: Operation, line: string | undefined): void {
  if (line !== undefined) {
    operation.notify(line);
  }
}
