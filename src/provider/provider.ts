// The operations on webhooks, for one configured provider. The adapters translate between Pulumi and it.
import { Deadline, Transport } from "../api/transport.js";
import { importSecretVariable } from "../common/setting-names.js";
import { adoptWebhook } from "./adopt.js";
import { completeInputs, withoutAbsent } from "./arguments.js";
import { type CheckResult, checkArguments } from "./check.js";
import { type ConfigResult, type ConfigSource, readConfig } from "./config.js";
import { createForState } from "./create.js";
import { deleteFromState } from "./delete.js";
import { type Difference, diffWebhook } from "./diff.js";
import type { Engine, Notify } from "./engine.js";
import { type ErrorKind, WebhookError } from "./errors.js";
import { findToImport } from "./import.js";
import { faultText, messages, nameOfWebhook, notConfiguredText, waitLine } from "./messages.js";
import { type Context, Operation } from "./operation.js";
import { refreshWebhook } from "./read.js";
import { RunState } from "./run-state.js";
import { addressOf, adoptedId, hiddenValues, stateOf } from "./state.js";
import {
  isUnknown,
  type Properties,
  withUnwrappedSecrets,
  withWrappedSecret,
  wrapSecret,
} from "./values.js";

/** What Pulumi tells an operation about its resource. */
export interface RequestOptions {
  /** Identifies the resource. The dynamic adapter does not get it. */
  readonly urn?: string | undefined;
  /** The option `customTimeouts`. */
  readonly timeoutSeconds?: number | undefined;
}

/** What Pulumi tells about a resource that is read. */
export interface ReadOptions extends RequestOptions {
  /** Whether the program only reads the webhook (`Webhook.get`) and does not manage it. Default: false. */
  readonly isExternal?: boolean;
  /** The arguments that the program declared, where Pulumi gives them. */
  readonly declared?: Properties | undefined;
}

/** Implements every operation on webhooks. Each error is a {@link WebhookError}. */
export class WebhookProvider {
  readonly #source: ConfigSource;
  readonly #engine: Engine;
  readonly #runState = new RunState();
  #config: ConfigResult | undefined;
  #account: Context["account"] | undefined;

  /** Keeps the source of the configuration for the first operation that needs it. Never throws. */
  constructor(source: ConfigSource, engine: Engine) {
    this.#source = source;
    this.#engine = engine;
  }

  /** Reports every problem of the arguments and of the configuration. Sends nothing. */
  async check(
    olds: Properties,
    news: Properties,
    notify: Notify,
    { urn = "" }: RequestOptions = {},
  ): Promise<CheckResult> {
    return this.#run("Check webhook", news, notify, async (operation) => {
      const { settings, problems } = this.#configuration;
      this.#runState.hasChecked = true;
      const isNew = Object.keys(olds).length === 0;
      if (!isNew && urn !== "") {
        this.#runState.oldArguments.set(urn, olds);
      }
      const result = checkArguments(news, problems);
      if (settings === undefined || result.failures.length > 0) {
        return result;
      }
      const problem = this.#recordAdoption(settings.baseUrl, result.inputs, urn, isNew, operation);
      if (problem !== undefined) {
        return { ...result, failures: [problem] };
      }
      return this.#recordImport(urn, operation) ? withWrappedUrl(result) : result;
    });
  }

  /** Compares the state with the arguments and the base URL. Every difference replaces. Sends nothing. */
  async diff(
    id: string,
    olds: Properties,
    news: Properties,
    notify: Notify,
    { ignored = [], urn }: RequestOptions & { readonly ignored?: readonly string[] } = {},
  ): Promise<readonly Difference[]> {
    return this.#run(`Compare webhook ${id}`, olds, notify, async (operation) => {
      const { settings } = this.#configuration;
      const state = withUnwrappedSecrets(olds);
      const comparison = { id, state, news, settings, ignored, urn };
      return diffWebhook(comparison, this.#runState, operation);
    });
  }

  /** Creates or adopts a webhook, and returns its secret for Pulumi to encrypt. */
  async create(
    inputs: Properties,
    notify: Notify,
    { timeoutSeconds }: RequestOptions = {},
  ): Promise<{ id: string; properties: Properties }> {
    const create = async (operation: Operation) => {
      const context = this.#openContext(operation, "notCreated");
      const webhook = completeInputs(inputs);
      const state = stateOf(inputs, context.account.settings.baseUrl);
      const { id, secret } = webhook.adopt
        ? await adoptWebhook(context, webhook, webhook.adopt)
        : await createForState(context, webhook, state);
      return { id, properties: withWrappedSecret({ ...state, secret }) };
    };
    const { databaseId } = inputs;
    const place = typeof databaseId === "string" ? ` in database ${databaseId}` : "";
    return this.#run(`Create webhook${place}`, inputs, notify, create, timeoutSeconds);
  }

  /**
   * Returns the state as it is, because the API does not describe how to read a webhook (API §4.3). With
   * `listing` the webhook is looked up: what the service has replaces the state, except the secret.
   *
   * @returns `undefined` if the service no longer has the webhook.
   */
  async read(
    id: string,
    props: Properties,
    notify: Notify,
    { isExternal = false, declared }: ReadOptions = {},
  ): Promise<{ id: string; properties: Properties } | undefined> {
    return this.#run(`Read webhook ${id}`, props, notify, async (operation) => {
      const { settings } = this.#configuration;
      this.#runState.hasRead = true;
      const stored = withWrappedSecret(props);
      const state = withUnwrappedSecrets(props);
      const address = addressOf(id, state, settings);
      if (settings?.listing !== true || address === undefined) {
        return { id, properties: stored };
      }
      const context = this.#openContext(operation, "unchanged");
      const drift = await refreshWebhook(context, address, { state, declared, isExternal });
      return drift && { id, properties: withoutAbsent({ ...stored, ...drift }) };
    });
  }

  /**
   * Reads a webhook that Pulumi does not know yet, and returns the arguments that declare it. Needs
   * `listing`, and the secret in the environment variable `DBWEBHOOKS_IMPORT_SECRET`. The url is returned
   * as a secret, because Pulumi does not pass on what the program declares and a receiver's url is often a
   * credential.
   */
  async import(
    id: string,
    databaseId: string,
    notify: Notify,
    { urn = "", isExternal = false }: ReadOptions = {},
  ): Promise<{ id: string; inputs: Properties; properties: Properties }> {
    const variable = this.#source.environment[importSecretVariable] ?? "";
    const verb = isExternal ? "Get" : "Import";
    const name = `${verb} ${nameOfWebhook(id, databaseId)}`;
    return this.#run(name, { secret: variable }, notify, async (operation) => {
      const context = this.#openContext(operation, "unchanged");
      const { baseUrl } = context.account.settings;
      const address = { baseUrl, databaseId, id };
      const found = await findToImport(context, address, variable, isExternal);
      // Whether the resource manages the webhook is known only when it is checked.
      this.#runState.imported.set(urn, address);
      const { inputs } = withWrappedUrl(found);
      const state = stateOf(inputs, baseUrl);
      return { id, inputs, properties: withWrappedSecret({ ...state, secret: found.secret }) };
    });
  }

  /** Deletes a webhook. Fails unless it is certain that the webhook is gone, or must stay. */
  async delete(
    id: string,
    props: Properties,
    notify: Notify,
    { urn, timeoutSeconds }: RequestOptions = {},
  ): Promise<void> {
    const state = withUnwrappedSecrets(props);
    const { databaseId } = addressOf(id, state, undefined) ?? {};
    const name = databaseId === undefined ? `webhook ${id}` : nameOfWebhook(id, databaseId);
    const remove = async (operation: Operation) => {
      const context = this.#openContext(operation, "notDeleted");
      await deleteFromState(context, addressOf(id, state, context.account.settings), urn);
    };
    return this.#run(`Delete ${name}`, state, notify, remove, timeoutSeconds);
  }

  get #configuration(): ConfigResult {
    this.#config ??= readConfig(this.#source);
    return this.#config;
  }

  /**
   * Records a webhook that the program names in `adopt`: no deletion of this run may reach it.
   *
   * @param isNew Whether Pulumi passes no old arguments, because a webhook is about to be created.
   * @returns The problem of a resource that would adopt its own webhook when it is replaced: if its provider
   * is replaced too, the old provider's process would delete the webhook.
   */
  #recordAdoption(
    baseUrl: string,
    inputs: Properties,
    urn: string,
    isNew: boolean,
    operation: Operation,
  ): string | undefined {
    const id = adoptedId(inputs);
    const databaseId = String(inputs.databaseId);
    if (id === undefined || isUnknown(id) || isUnknown(databaseId)) {
      return undefined;
    }
    const name = nameOfWebhook(id, databaseId);
    const old = this.#runState.oldArguments.get(urn) ?? {};
    if (isNew && adoptedId(old) === id && old.databaseId === databaseId) {
      return `adopt: ${messages.adoptedAgain(name, "it is to be replaced")}`;
    }
    this.#runState.recordOf({ baseUrl, databaseId, id }).isNamedByAdopt = true;
    operation.notify(isNew ? messages.adopting(name) : undefined);
    return undefined;
  }

  /** Records that a resource manages the webhook that was imported for it. Returns whether one was. */
  #recordImport(urn: string, operation: Operation): boolean {
    const imported = this.#runState.imported.get(urn);
    if (imported === undefined) {
      return false;
    }
    const name = nameOfWebhook(imported.id, imported.databaseId);
    operation.warn(messages.shared(name, this.#runState.recordOf(imported).addOwner(urn)));
    return true;
  }

  /** Returns what an operation needs to talk to the service. Throws if the settings are not valid. */
  #openContext(operation: Operation, kind: ErrorKind): Context {
    const { settings, problems } = this.#configuration;
    if (settings === undefined) {
      const text = notConfiguredText(operation.name, problems, kind, this.#source.isExplicit());
      throw new WebhookError(kind, text);
    }
    const engine = this.#engine;
    this.#account ??= { settings, transport: new Transport(settings, engine.stopping) };
    return {
      account: this.#account,
      runState: this.#runState,
      engine,
      operation,
      onWait: (wait) => operation.notify(waitLine(settings, wait)),
    };
  }

  /** Runs one operation. No message shows the secrets among `properties`, its arguments or state. */
  async #run<Result>(
    name: string,
    properties: Properties,
    notify: Notify,
    run: (operation: Operation) => Promise<Result>,
    timeoutSeconds?: number,
  ): Promise<Result> {
    const deadline = timeoutSeconds ? new Deadline(timeoutSeconds) : undefined;
    const hidden = () => hiddenValues(properties, this.#config?.settings?.apiKey);
    const operation = new Operation(name, notify, hidden, deadline);
    this.#engine.begin();
    try {
      return await run(operation);
    } catch (error) {
      throw error instanceof WebhookError
        ? error
        : new WebhookError("fault", faultText(operation, error));
    } finally {
      this.#engine.end();
    }
  }
}

function withWrappedUrl<Result extends { readonly inputs: Properties }>(result: Result): Result {
  return { ...result, inputs: { ...result.inputs, url: wrapSecret(result.inputs.url) } };
}
