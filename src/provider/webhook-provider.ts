// The operations on webhooks, for one configured provider. The adapters translate between Pulumi and it.
import { Transport } from "../api/transport.js";
import { importSecretVariable } from "../common/setting-names.js";
import { adoptWebhook } from "./adopt.js";
import { replacingArguments, requireCompleteInputs, withoutAbsent } from "./arguments.js";
import { type CheckResult, checkWebhook } from "./check.js";
import { type ConfigResult, type ConfigSource, readConfig } from "./config.js";
import { createManagedWebhook } from "./create.js";
import { deleteManagedWebhook } from "./delete.js";
import { type DiffOptions, diffWebhook } from "./diff.js";
import type { Difference } from "./differences.js";
import type { EngineMonitor } from "./engine.js";
import { type ErrorKind, WebhookError } from "./errors.js";
import { findToImport } from "./import.js";
import { notConfiguredText } from "./messages/deletion.js";
import { nameOfWebhook } from "./messages/names.js";
import { delayLine, faultText } from "./messages/requests.js";
import { type Context, Operation, type OperationOptions } from "./operation.js";
import { refreshWebhook } from "./read.js";
import { RunState } from "./run-state.js";
import { addressOf, parseState, sensitiveValues } from "./state.js";
import { type Properties, withWrappedSecret, wrapSecret } from "./values.js";

/** A webhook as Pulumi stores it. */
export interface StoredWebhook {
  readonly id: string;
  readonly properties: Properties;
}

/** Implements every operation on webhooks. Each error is a {@link WebhookError}. */
export class WebhookProvider {
  readonly #source: ConfigSource;
  readonly #engineMonitor: EngineMonitor;
  readonly #runState = new RunState();
  #config: ConfigResult | undefined;
  #transport: Transport | undefined;

  /** Keeps the source of the configuration for the first operation that needs it. Never throws. */
  constructor(source: ConfigSource, engineMonitor: EngineMonitor) {
    this.#source = source;
    this.#engineMonitor = engineMonitor;
  }

  /**
   * Reports every problem of the arguments and of the configuration. Sends nothing.
   *
   * @param olds The arguments of the last update; empty for a new webhook.
   */
  check(olds: Properties, news: Properties, options: OperationOptions): Promise<CheckResult> {
    const args = { olds, news, urn: options.urn ?? "" };
    return this.#runOperation("Check webhook", news, options, async (operation) =>
      checkWebhook(args, this.#configuration, this.#runState, operation),
    );
  }

  /**
   * Compares the state with the arguments and the base URL. Every difference replaces. Sends nothing.
   *
   * @param olds The stored outputs, as Pulumi calls them too.
   */
  diff(
    id: string,
    olds: Properties,
    news: Properties,
    options: OperationOptions & DiffOptions,
  ): Promise<readonly Difference[]> {
    const state = parseState(olds);
    const name = `Compare ${nameOfWebhook(id, state.databaseId)}`;
    return this.#runOperation(name, olds, options, async (operation) => {
      const { settings } = this.#configuration;
      return diffWebhook({ ...options, id, state, news, settings }, this.#runState, operation);
    });
  }

  /** Creates or adopts a webhook, and returns its secret for Pulumi to encrypt. */
  create(inputs: Properties, options: OperationOptions): Promise<StoredWebhook> {
    const { databaseId } = parseState(inputs);
    const place = databaseId === undefined ? "" : ` in database ${databaseId}`;
    return this.#runOperation(`Create webhook${place}`, inputs, options, async (operation) => {
      const context = this.#requireContext(operation, "notCreated");
      const webhook = requireCompleteInputs(inputs);
      const { id, secret } = webhook.adopt
        ? await adoptWebhook(context, webhook, webhook.adopt)
        : await createManagedWebhook(context, webhook);
      const { baseUrl } = context.settings;
      return { id, properties: withWrappedSecret({ ...outputsOf(inputs), baseUrl, secret }) };
    });
  }

  /**
   * Returns the state as it is, because the API does not describe how to read a webhook
   * (docs/api/README.md#other-operations). With the setting `listing` the webhook is looked up: what the
   * service has replaces the state, except the secret.
   *
   * @param declared The arguments of the last update, where Pulumi passes them.
   * @returns `undefined` if the service no longer has the webhook.
   */
  read(
    id: string,
    props: Properties,
    options: OperationOptions,
    declared?: Properties,
  ): Promise<StoredWebhook | undefined> {
    return this.#runOperation(`Read webhook ${id}`, props, options, async (operation) => {
      const { settings } = this.#configuration;
      const stored = withWrappedSecret(props);
      const state = parseState(props);
      const address = addressOf(id, state, settings);
      if (address !== undefined) {
        this.#runState.record("inState", address);
        this.#runState.record("read", address);
      }
      if (settings?.listing !== true || address === undefined) {
        return { id, properties: stored };
      }
      const context = this.#requireContext(operation, "unchanged");
      const declaredState = declared && parseState(declared);
      const drift = await refreshWebhook(context, address, state, declaredState);
      return drift === "absent"
        ? undefined
        : { id, properties: withoutAbsent({ ...stored, ...drift }) };
    });
  }

  /**
   * Reads a webhook that Pulumi does not know yet, and returns the arguments that declare it. Needs the
   * setting `listing`, and the secret in the environment variable `DBWEBHOOKS_IMPORT_SECRET`. The url is
   * returned as a secret, because Pulumi does not pass on what the program declares and a receiver's url is
   * often a credential.
   */
  import(
    id: string,
    databaseId: string,
    options: OperationOptions,
  ): Promise<StoredWebhook & { readonly inputs: Properties }> {
    const { urn = "" } = options;
    const givenSecret = this.#source.environment[importSecretVariable] ?? "";
    const name = `Import ${nameOfWebhook(id, databaseId)}`;
    return this.#runOperation(name, { secret: givenSecret }, options, async (operation) => {
      const context = this.#requireContext(operation, "unchanged");
      const { baseUrl } = context.settings;
      const address = { baseUrl, databaseId, id };
      const found = await findToImport(context, address, givenSecret);
      this.#runState.imports.set(urn, address);
      const inputs = { ...found.inputs, url: wrapSecret(found.inputs.url) };
      const { secret } = found;
      const properties = withWrappedSecret({ ...outputsOf(inputs), baseUrl, secret });
      return { id, inputs, properties };
    });
  }

  /** Deletes a webhook. Fails unless it is certain that the webhook is gone, or has another resource now. */
  delete(id: string, props: Properties, options: OperationOptions): Promise<void> {
    const state = parseState(props);
    const { databaseId } = addressOf(id, state, undefined) ?? {};
    const name = databaseId === undefined ? `webhook ${id}` : nameOfWebhook(id, databaseId);
    return this.#runOperation(`Delete ${name}`, props, options, async (operation) => {
      const context = this.#requireContext(operation, "notDeleted");
      await deleteManagedWebhook(context, addressOf(id, state, context.settings));
    });
  }

  get #configuration(): ConfigResult {
    this.#config ??= readConfig(this.#source);
    return this.#config;
  }

  /** Returns what an operation needs to talk to the service. Throws if the settings are not valid. */
  #requireContext(operation: Operation, kind: ErrorKind): Context {
    const { settings, problems } = this.#configuration;
    if (settings === undefined) {
      const text = notConfiguredText(operation, problems, kind, this.#source.isExplicit());
      throw new WebhookError(kind, text);
    }
    const engineMonitor = this.#engineMonitor;
    this.#transport ??= new Transport(settings, engineMonitor.stopping);
    return {
      settings,
      transport: this.#transport,
      runState: this.#runState,
      engineMonitor,
      operation,
      onDelay: (delay) => operation.notify(delayLine(delay)),
    };
  }

  /** Runs one operation. Its messages redact the secrets among `properties`, its arguments or its state. */
  async #runOperation<Result>(
    name: string,
    properties: Properties,
    { notify }: OperationOptions,
    run: (operation: Operation) => Promise<Result>,
  ): Promise<Result> {
    const sensitive = () => [this.#config?.settings?.apiKey ?? "", ...sensitiveValues(properties)];
    const operation = new Operation(name, notify, sensitive);
    this.#engineMonitor.beginOperation();
    try {
      return await run(operation);
    } catch (error) {
      throw error instanceof WebhookError
        ? error
        : new WebhookError("fault", faultText(operation, error));
    } finally {
      this.#engineMonitor.endOperation();
    }
  }
}

/** Returns the arguments that Pulumi stores as outputs: those that define the webhook. */
function outputsOf(inputs: Properties): Properties {
  const given = replacingArguments.filter((name) => name in inputs);
  return Object.fromEntries(given.map((name) => [name, inputs[name]]));
}
