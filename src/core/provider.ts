import { nameOfWebhook } from "../service/advice.js";
import { WebhookError } from "../service/errors.js";
import type { Notify, Operation } from "../service/operation.js";
import { adoptedSecretHint, adoptionConflict, adoptionHint, adoptWebhook } from "./adopt.js";
import { argumentsThat } from "./arguments.js";
import { type CheckResult, checkArguments, tableEventsHint } from "./check.js";
import type { ConfigSource } from "./config.js";
import { completeInputs, createForState, createName } from "./create.js";
import { deleteFromState } from "./delete.js";
import { type Comparison, compareWebhook, importWarning, replacementWarning } from "./diff.js";
import type { Engine } from "./engine.js";
import { findToImport, importSecretVariable } from "./import.js";
import { claimWebhook, keepWebhook, noteAdopt, resourceKeyOf } from "./ownership.js";
import { findWebhook } from "./read.js";
import { Session } from "./session.js";
import { addressOf, idToAdopt, stateOf } from "./state.js";
import { type Properties, withoutAbsent, withSecretMarked, withSecretsBare } from "./values.js";

/** A webhook as Pulumi stores it: its id, and its properties with the secret marked. */
export interface StoredWebhook {
  readonly id: string;
  readonly properties: Record<string, unknown>;
}

/** A webhook that Pulumi did not know, with the arguments that declare it. */
export interface ImportedWebhook extends StoredWebhook {
  readonly inputs: Properties;
}

/**
 * The rules of the resource, for one configured provider: what a shell hands over is in Pulumi's terms,
 * and what happens is decided here. All errors are {@link WebhookError}s, fit to be shown.
 */
export class WebhookProvider {
  readonly #session: Session;

  /** Keeps the configuration for the first operation that needs it. Never throws. */
  constructor(source: ConfigSource, engine: Engine) {
    this.#session = new Session(source, engine);
  }

  /**
   * Reports everything that is wrong with the arguments and the configuration. Sends nothing.
   *
   * @param urn The resource, where Pulumi gives it.
   */
  async check(
    olds: Properties,
    news: Properties,
    notify: Notify,
    urn?: string,
  ): Promise<CheckResult> {
    return this.#session.run("Check webhook", news, notify, async (operation) => {
      const { ledger, config } = this.#session;
      ledger.hasChecked = true;
      const result = checkArguments(news, config.problems ?? []);
      if (config.settings !== undefined && result.failures.length === 0) {
        noteAdopt(ledger, config.settings.baseUrl, result.inputs);
        const resource = resourceKeyOf(urn);
        const imported = ledger.imported.get(resource);
        if (imported !== undefined) {
          operation.warn(keepWebhook(ledger, imported, resource));
        } else if (Object.keys(olds).length === 0) {
          // Old arguments are missing where a webhook is about to be created, and only there.
          ledger.createdAnew.add(resource);
          operation.notify(tableEventsHint(result.inputs));
          operation.notify(adoptionHint(result.inputs));
        }
      }
      return result;
    });
  }

  /**
   * Compares the state with the arguments and the base URL. Sends nothing.
   *
   * @param options.ignored Arguments whose changes the program ignores.
   * @param options.urn The resource, where Pulumi gives it.
   */
  async diff(
    id: string,
    olds: Properties,
    news: Properties,
    notify: Notify,
    {
      ignored,
      urn,
    }: { readonly ignored?: readonly string[]; readonly urn?: string | undefined } = {},
  ): Promise<Comparison> {
    return this.#session.run(`Compare webhook ${id}`, olds, notify, async (operation) => {
      const { ledger, config } = this.#session;
      const state = withSecretsBare(olds);
      const comparison = compareWebhook(id, state, news, config.settings, ignored);
      const address = addressOf(id, state, config.settings);
      if (address !== undefined) {
        // From now on this run knows the webhook.
        ledger.entryOf(address);
      }
      if (ledger.hasRead && !ledger.hasChecked) {
        // A plain refresh does not run the program, so there are no new arguments to compare.
        return comparison;
      }
      if (comparison.differences.length === 0) {
        if (config.settings !== undefined && address !== undefined) {
          claimWebhook(ledger, address, news);
          if (ledger.hasChecked) {
            operation.warn(keepWebhook(ledger, address, resourceKeyOf(urn)));
          }
        }
        operation.notify(adoptedSecretHint(id, state, news));
        return comparison;
      }
      if (idToAdopt(news) === id) {
        throw adoptionConflict(id, state, comparison.differences);
      }
      const isImported = urn !== undefined && ledger.imported.has(urn);
      const warning = isImported ? importWarning : replacementWarning;
      operation.warn(warning(id, state, comparison.differences));
      return comparison;
    });
  }

  /**
   * Creates the webhook, or takes one over, and returns its secret for Pulumi to encrypt.
   *
   * @param timeoutSeconds How long it may take. Default: no limit of its own.
   */
  async create(
    inputs: Properties,
    notify: Notify,
    timeoutSeconds?: number,
  ): Promise<StoredWebhook> {
    const create = async (operation: Operation) => {
      const account = this.#session.openAccount("Create webhook");
      const webhook = completeInputs(inputs);
      const state = stateOf(inputs, account.settings.baseUrl);
      const { ledger, engine } = this.#session;
      const { id, secret } = webhook.adopt
        ? await adoptWebhook(account, ledger, operation, webhook, webhook.adopt)
        : await createForState({ account, ledger, engine, operation }, webhook, state);
      return { id, properties: withSecretMarked({ ...state, secret }) };
    };
    return this.#session.run(createName(inputs), inputs, notify, create, timeoutSeconds);
  }

  /**
   * Returns the state as it is: reading a webhook is not described by the service's interface. With
   * `listing` the webhook is looked up. For one that is gone it returns nothing; the secret never changes.
   */
  async read(id: string, props: Properties, notify: Notify): Promise<StoredWebhook | undefined> {
    return this.#session.run(`Read webhook ${id}`, props, notify, async (operation) => {
      const { ledger, config } = this.#session;
      ledger.hasRead = true;
      const kept = { id, properties: withSecretMarked(props) };
      const state = withSecretsBare(props);
      const address = addressOf(id, state, config.settings);
      if (config.settings?.listing !== true || address === undefined) {
        return kept;
      }
      const account = this.#session.openAccount(operation.name);
      const finding = await findWebhook(account, ledger, operation, address, state);
      if (finding.kind === "gone") {
        return undefined;
      }
      return finding.kind === "found"
        ? { id, properties: withoutAbsent({ ...kept.properties, ...finding.drift }) }
        : kept;
    });
  }

  /**
   * Reads a webhook that Pulumi does not know yet, with the arguments that declare it. Needs `listing`,
   * and the secret in the environment variable `DBWEBHOOKS_IMPORT_SECRET`.
   *
   * @param urn The resource that is to have it.
   */
  async import(
    id: string,
    databaseId: string,
    notify: Notify,
    urn: string,
  ): Promise<ImportedWebhook> {
    const variable = this.#session.environment[importSecretVariable];
    const name = `Import ${nameOfWebhook(id, databaseId)}`;
    return this.#session.run(name, { secret: variable }, notify, async (operation) => {
      const account = this.#session.openAccount(operation.name);
      const { baseUrl } = account.settings;
      const address = { baseUrl, databaseId, id };
      const { ledger } = this.#session;
      const { inputs, secret } = await findToImport(account, ledger, operation, address, variable);
      // Whether the resource manages it or only reads it, Pulumi does not say before the check.
      ledger.imported.set(urn, address);
      return { id, inputs, properties: withSecretMarked({ ...inputs, baseUrl, secret }) };
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

  /**
   * Deletes the webhook where it was created.
   *
   * @param timeoutSeconds How long it may take. Default: no limit of its own.
   */
  async delete(
    id: string,
    props: Properties,
    notify: Notify,
    timeoutSeconds?: number,
  ): Promise<void> {
    const state = withSecretsBare(props);
    const { databaseId } = addressOf(id, state, undefined) ?? {};
    const name = databaseId === undefined ? `webhook ${id}` : nameOfWebhook(id, databaseId);
    const remove = async (operation: Operation) => {
      const address = addressOf(id, state, this.#session.config.settings);
      await deleteFromState(this.#session, operation, address);
    };
    return this.#session.run(`Delete ${name}`, state, notify, remove, timeoutSeconds);
  }
}
