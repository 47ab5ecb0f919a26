// The operations on webhooks, for one configured provider. The adapters translate between Pulumi and it. Arguments and
// results have the shapes of Pulumi's dynamic providers.
import { Transport } from "../api/transport.js";
import { importSecretVariable } from "../common/setting-names.js";
import { checkWebhook } from "./check.js";
import { createManagedWebhook } from "./create.js";
import { deleteManagedWebhook } from "./delete.js";
import { diffWebhook } from "./diff.js";
import { findToImport } from "./import.js";
import { failure } from "./messages/failures.js";
import { nameOfWebhook } from "./messages/names.js";
import { delayText } from "./messages/notices.js";
import { isReadable, readWebhook } from "./read.js";
import { parseInputs, replacingArguments, withoutAbsent } from "./rules/arguments.js";
import { type ConfigResult, type ConfigSource, readConfig } from "./rules/config.js";
import type { Comparison } from "./rules/differences.js";
import { addressOf, parseProperties, type WebhookState } from "./rules/state.js";
import { type Properties, withWrappedSecret, wrapSecret } from "./rules/values.js";
import type { EngineMonitor } from "./run/engine.js";
import { WebhookError } from "./run/errors.js";
import {
  type Context,
  Operation,
  type OperationOptions,
  sensitiveValues,
} from "./run/operation.js";
import { RunState, type WebhookAddress } from "./run/run-state.js";

/** The result of `check`: normalized inputs and one failure per problem. */
export interface CheckResult {
  readonly inputs: Properties;
  readonly failures?: { property: string; reason: string }[];
}

/** The result of `diff`. Every difference replaces. */
export interface DiffResult {
  readonly changes: boolean;
  readonly replaces?: string[];
}

/** The result of `create`. */
export interface CreateResult {
  readonly id: string;
  readonly outs: Properties;
}

/** The result of `read`. An empty id says that the webhook no longer exists. */
export interface ReadResult {
  readonly id: string;
  readonly props: Properties;
}

/** Implements every operation on webhooks. Each error is a {@link WebhookError}. */
export class WebhookProvider {
  readonly #source: ConfigSource;
  readonly #engineMonitor: EngineMonitor;
  readonly #runState = new RunState();
  readonly #refreshLists: Context["refreshLists"] = new Map();
  readonly #shownLines = new Set<string>();
  #config: ConfigResult | undefined;
  #transport: Transport | undefined;

  /** Keeps the source of the configuration for the first operation that needs it. Never throws. */
  constructor(source: ConfigSource, engineMonitor: EngineMonitor) {
    this.#source = source;
    this.#engineMonitor = engineMonitor;
  }

  /** Reports every problem of the arguments and of the configuration. Sends nothing. */
  check(news: Properties, options: OperationOptions): Promise<CheckResult> {
    return this.#run("Check webhook", news, options, async () => {
      const { inputs, failures } = checkWebhook(news, this.#configuration);
      // Name no property: Pulumi prints the value of a named one, and a url is often a credential.
      const named = failures.map((reason) => ({ property: "", reason }));
      return named.length === 0 ? { inputs } : { inputs, failures: named };
    });
  }

  /**
   * Compares the state with the arguments and the base URL. Sends nothing.
   *
   * @param olds The stored outputs, as Pulumi calls them too.
   */
  diff(
    id: string,
    olds: Properties,
    news: Properties,
    { ignored, ...options }: OperationOptions & Pick<Comparison, "ignored">,
  ): Promise<DiffResult> {
    const state = parseProperties(olds);
    const name = `Compare ${nameOfWebhook(id, state.databaseId)}`;
    return this.#run(name, olds, options, async (operation) => {
      const { settings } = this.#configuration;
      const address = this.#addressInState(id, state);
      const comparison = { state, news, settings, ignored };
      const { urn } = options;
      const differences = diffWebhook(address, comparison, this.#runState, operation, urn);
      const replaces = differences.map(({ property }) => property);
      return replaces.length === 0 ? { changes: false } : { changes: true, replaces };
    });
  }

  /** Creates a webhook, and returns its secret for Pulumi to encrypt. */
  create(inputs: Properties, options: OperationOptions): Promise<CreateResult> {
    const { databaseId } = parseProperties(inputs);
    const name = `Create webhook${databaseId === undefined ? "" : ` in database ${databaseId}`}`;
    const create = async (operation: Operation) => {
      const context = this.#requireContext(operation, "creationWithInvalidSettings");
      const parsed = parseInputs(inputs);
      if ("problem" in parsed) {
        throw failure("incomplete", operation, parsed.problem);
      }
      const { id, secret } = await createManagedWebhook(context, parsed.webhook);
      const { baseUrl } = context.settings;
      return { id, outs: withWrappedSecret({ ...outputsOf(inputs), baseUrl, secret }) };
    };
    return this.#run(name, inputs, options, create, true);
  }

  /** Returns the state with what a refresh finds at the service, except the secret. */
  read(id: string, props: Properties, options: OperationOptions): Promise<ReadResult> {
    const state = parseProperties(props);
    return this.#run(`Read webhook ${id}`, props, options, async (operation) => {
      const address = this.#addressInState(id, state);
      const stored = withWrappedSecret(props);
      if (address === undefined || !isReadable(address, this.#configuration, operation)) {
        return { id, props: stored };
      }
      const context = this.#requireContext(operation, "invalidSettings");
      const drift = await readWebhook(context, address, state);
      return drift === "absent"
        ? { id: "", props: {} }
        : { id, props: withoutAbsent({ ...stored, ...drift }) };
    });
  }

  /**
   * Reads a webhook that Pulumi does not know yet, and returns the arguments that declare it. The environment
   * variable `DBWEBHOOKS_IMPORT_SECRET` holds the secret, and also the arguments unless the setting `listing` is on.
   * The url is returned as a secret, because Pulumi does not pass on what the program declares and a receiver's url
   * is often a credential.
   */
  import(
    id: string,
    databaseId: string,
    options: OperationOptions,
  ): Promise<ReadResult & { readonly inputs: Properties }> {
    const givenSecret = this.#source.environment[importSecretVariable] ?? "";
    const name = `Import ${nameOfWebhook(id, databaseId)}`;
    return this.#run(name, { secret: givenSecret }, options, async (operation) => {
      const context = this.#requireContext(operation, "invalidSettings");
      const { baseUrl } = context.settings;
      const address = { baseUrl, databaseId, id };
      const found = await findToImport(context, address, givenSecret);
      const inputs = { ...found.inputs, url: wrapSecret(found.inputs.url) };
      const { secret } = found;
      return { id, inputs, props: withWrappedSecret({ ...outputsOf(inputs), baseUrl, secret }) };
    });
  }

  /** Keeps the old outputs: every difference replaces the webhook, so there is nothing to update. */
  async update(olds: Properties): Promise<{ outs: Properties }> {
    return { outs: withWrappedSecret(olds) };
  }

  /** Deletes a webhook. Fails unless it is certain that the webhook is gone, or has another resource now. */
  delete(id: string, props: Properties, options: OperationOptions): Promise<void> {
    const address = this.#addressInState(id, parseProperties(props));
    const name = address === undefined ? `webhook ${id}` : nameOfWebhook(id, address.databaseId);
    return this.#run(`Delete ${name}`, props, options, async (operation) => {
      const context = this.#requireContext(operation, "deletionWithInvalidSettings");
      await deleteManagedWebhook(context, address, options.urn);
    });
  }

  /** Returns where a webhook of the state is, and notes that it may exist. */
  #addressInState(id: string, state: WebhookState): WebhookAddress | undefined {
    const address = addressOf(id, state);
    if (address !== undefined) {
      this.#runState.noteExists(address);
    }
    return address;
  }

  get #configuration(): ConfigResult {
    this.#config ??= readConfig(this.#source);
    return this.#config;
  }

  /** Returns what an operation needs to talk to the service. Throws if the settings are not valid. */
  #requireContext(
    operation: Operation,
    failureName: "invalidSettings" | "creationWithInvalidSettings" | "deletionWithInvalidSettings",
  ): Context {
    const { settings, problems } = this.#configuration;
    if (settings === undefined) {
      throw failure(failureName, operation, { problems, isExplicit: this.#source.isExplicit() });
    }
    const engineMonitor = this.#engineMonitor;
    this.#transport ??= new Transport(settings, engineMonitor.stopping);
    return {
      settings,
      transport: this.#transport,
      runState: this.#runState,
      refreshLists: this.#refreshLists,
      engineMonitor,
      operation,
      onDelay: (delay) => operation.notify(delayText(delay)),
    };
  }

  /** Runs one operation. Its messages redact the secrets among `properties`, its arguments or its state. */
  #run<Result>(
    name: string,
    properties: Properties,
    { notify }: OperationOptions,
    run: (operation: Operation) => Promise<Result>,
    isCreation = false,
  ): Promise<Result> {
    const sensitive = () => [this.#config?.settings?.apiKey ?? "", ...sensitiveValues(properties)];
    const operation = new Operation(name, notify, this.#shownLines, sensitive);
    const runSafely = () =>
      run(operation).catch((error: unknown) => {
        throw error instanceof WebhookError
          ? error
          : failure("fault", operation, { operation, error });
      });
    return this.#engineMonitor.run(runSafely, { isCreation });
  }
}

/** Returns the arguments that Pulumi stores as outputs: those that define the webhook. */
function outputsOf(inputs: Properties): Properties {
  const given = replacingArguments.filter((name) => name in inputs);
  return Object.fromEntries(given.map((name) => [name, inputs[name]]));
}
