import { Deadline, Transport } from "../api/transport.js";
import { adoptWebhook } from "./adopt.js";
import { type CheckResult, checkArguments } from "./check.js";
import { type ConfigResult, type ConfigSource, readConfig } from "./config.js";
import { completeInputs, createForState } from "./create.js";
import { deleteFromState } from "./delete.js";
import { compareWebhook, type Difference } from "./diff.js";
import type { Engine } from "./engine.js";
import { type ErrorKind, WebhookError } from "./errors.js";
import { findToImport, importSecretVariable } from "./import.js";
import { refreshWebhook } from "./lookup.js";
import { faultText, lines, nameOfWebhook } from "./messages.js";
import { type Context, type Notify, Operation } from "./operation.js";
import { Ledger } from "./run-state.js";
import { addressOf, hiddenValues, idToAdopt, stateOf } from "./state.js";
import {
  isUnknown,
  markedSecret,
  type Properties,
  withoutAbsent,
  withSecretMarked,
  withSecretsBare,
} from "./values.js";

/** The resource that an operation is about, and what Pulumi says of it. */
export interface ResourceOptions {
  /** Where Pulumi gives it: it tells resources apart. */
  readonly urn?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** Whether the program only reads the webhook, and does not manage it. Default: false. */
  readonly isOnlyRead?: boolean;
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
  #account: Context["account"] | undefined;

  /** Keeps the configuration for the first operation that needs it. Never throws. */
  constructor(source: ConfigSource, engine: Engine) {
    this.#source = source;
    this.#engine = engine;
  }

  /** Reports everything that is wrong with the arguments and the configuration. Sends nothing. */
  async check(
    olds: Properties,
    news: Properties,
    notify: Notify,
    { urn = "" }: ResourceOptions = {},
  ): Promise<CheckResult> {
    return this.#run("Check webhook", news, notify, async (operation) => {
      const ledger = this.#ledger;
      const { settings, problems } = this.#configuration;
      ledger.hasChecked = true;
      const result = checkArguments(news, problems);
      const { inputs } = result;
      if (settings === undefined || result.failures.length > 0) {
        return result;
      }
      const id = idToAdopt(inputs);
      const databaseId = String(inputs.databaseId);
      if (id !== undefined && !isUnknown(id) && !isUnknown(databaseId)) {
        // No deletion in this run may reach it.
        ledger.entryOf({ baseUrl: settings.baseUrl, databaseId, id }).isNamed = true;
        // Old arguments are missing where a webhook is about to be created, and only there.
        const isNew = Object.keys(olds).length === 0;
        operation.notify(isNew ? lines.adopting(nameOfWebhook(id, databaseId)) : undefined);
      }
      const imported = ledger.imported.get(urn);
      if (imported === undefined) {
        return result;
      }
      const name = nameOfWebhook(imported.id, imported.databaseId);
      operation.warn(lines.shared(name, ledger.noteKeeper(imported, urn)));
      return { ...result, inputs: { ...inputs, url: markedSecret(inputs.url) } };
    });
  }

  /**
   * Compares the state with the arguments and the base URL, and returns what forces a replacement. Sends
   * nothing. What it says and notes depends on what came before: a plain refresh does not run the
   * program, so there are no new arguments to compare, and no resource is seen to keep its webhook.
   */
  async diff(
    id: string,
    olds: Properties,
    news: Properties,
    notify: Notify,
    { ignored, urn }: ResourceOptions & { readonly ignored?: readonly string[] } = {},
  ): Promise<readonly Difference[]> {
    return this.#run(`Compare webhook ${id}`, olds, notify, async (operation) => {
      const ledger = this.#ledger;
      const { settings } = this.#configuration;
      const state = withSecretsBare(olds);
      const differences = compareWebhook(id, state, news, settings, ignored);
      const address = addressOf(id, state, settings);
      const name = nameOfWebhook(id, state.databaseId);
      // From now on this run knows the webhook.
      const entry = address && ledger.entryOf(address);
      if (ledger.hasRead && !ledger.hasChecked) {
        return differences;
      }
      if (differences.length > 0) {
        const reasons = differences.map(({ reason }) => reason).join(", ");
        if (idToAdopt(news) === id) {
          throw new WebhookError("conflict", lines.adoptedAgain(name, reasons));
        }
        const isImported = urn !== undefined && ledger.imported.has(urn);
        const line = isImported ? lines.importedOtherwise : lines.replacement;
        operation.warn(line(name, reasons));
        return differences;
      }
      const isNaming = idToAdopt(news) !== undefined;
      if (ledger.hasChecked && address !== undefined && entry !== undefined) {
        // Without URNs all resources share one key, but for those that name their webhook in `adopt`.
        const key = urn ?? (isNaming ? "a resource with adopt" : "a resource without adopt");
        const keepers = ledger.noteKeeper(address, key);
        if (entry.isAdopted || (entry.isNamed && (!isNaming || keepers.length > 1))) {
          throw new WebhookError("conflict", lines.adoptedAndKept(name));
        }
        operation.warn(lines.shared(name, keepers));
      }
      const { secret } = (news.adopt ?? {}) as { secret?: unknown };
      if (secret !== undefined && !isUnknown(secret) && secret !== state.secret) {
        operation.notify(lines.otherAdoptedSecret(name));
      }
      return differences;
    });
  }

  /** Creates the webhook, or takes one over, and returns its secret for Pulumi to encrypt. */
  async create(
    inputs: Properties,
    notify: Notify,
    { timeoutSeconds }: ResourceOptions = {},
  ): Promise<{ id: string; properties: Properties }> {
    const create = async (operation: Operation) => {
      const context = this.#openContext(operation, "notCreated");
      const webhook = completeInputs(inputs);
      const state = stateOf(inputs, context.account.settings.baseUrl);
      const { id, secret } = webhook.adopt
        ? await adoptWebhook(context, webhook, webhook.adopt)
        : await createForState(context, webhook, state);
      return { id, properties: withSecretMarked({ ...state, secret }) };
    };
    const { databaseId } = inputs;
    const place = typeof databaseId === "string" ? ` in database ${databaseId}` : "";
    return this.#run(`Create webhook${place}`, inputs, notify, create, timeoutSeconds);
  }

  /**
   * Returns the state as it is: reading a webhook is not described by the service's interface. With
   * `listing` the webhook is looked up. For one that is gone it returns nothing; the secret never changes.
   */
  async read(
    id: string,
    props: Properties,
    notify: Notify,
    { isOnlyRead = false }: ResourceOptions = {},
  ): Promise<{ id: string; properties: Properties } | undefined> {
    return this.#run(`Read webhook ${id}`, props, notify, async (operation) => {
      const { settings } = this.#configuration;
      this.#ledger.hasRead = true;
      const kept = withSecretMarked(props);
      const state = withSecretsBare(props);
      const address = addressOf(id, state, settings);
      if (settings?.listing !== true || address === undefined) {
        return { id, properties: kept };
      }
      const context = this.#openContext(operation, "invalid");
      const drift = await refreshWebhook(context, address, state, isOnlyRead);
      return drift && { id, properties: withoutAbsent({ ...kept, ...drift }) };
    });
  }

  /**
   * Reads a webhook that Pulumi does not know yet, with the arguments that declare it. Needs `listing`,
   * and the secret in the environment variable `DBWEBHOOKS_IMPORT_SECRET`. Its url comes back as a secret:
   * Pulumi does not say what the program declares, and a receiver's url is often a credential.
   */
  async import(
    id: string,
    databaseId: string,
    notify: Notify,
    { urn = "", isOnlyRead = false }: ResourceOptions = {},
  ): Promise<{ id: string; inputs: Properties; properties: Properties }> {
    const variable = this.#source.environment[importSecretVariable] ?? "";
    const verb = isOnlyRead ? "Get" : "Import";
    const name = `${verb} ${nameOfWebhook(id, databaseId)}`;
    return this.#run(name, { secret: variable }, notify, async (operation) => {
      const context = this.#openContext(operation, "notImported");
      const { baseUrl } = context.account.settings;
      const address = { baseUrl, databaseId, id };
      const found = await findToImport(context, address, variable, isOnlyRead);
      // Only a check tells that the resource manages the webhook.
      this.#ledger.imported.set(urn, address);
      const inputs = { ...found.inputs, url: markedSecret(found.inputs.url) };
      const state = stateOf(inputs, baseUrl);
      return { id, inputs, properties: withSecretMarked({ ...state, secret: found.secret }) };
    });
  }

  async delete(
    id: string,
    props: Properties,
    notify: Notify,
    { urn, timeoutSeconds }: ResourceOptions = {},
  ): Promise<void> {
    const state = withSecretsBare(props);
    const { databaseId } = addressOf(id, state, undefined) ?? {};
    const name = databaseId === undefined ? `webhook ${id}` : nameOfWebhook(id, databaseId);
    const remove = async (operation: Operation) => {
      const context = this.#openContext(operation, "kept", staysAdvice);
      await deleteFromState(context, addressOf(id, state, context.account.settings), urn);
    };
    return this.#run(`Delete ${name}`, state, notify, remove, timeoutSeconds);
  }

  get #configuration(): ConfigResult {
    this.#config ??= readConfig(this.#source);
    return this.#config;
  }

  /** Gives what an operation needs to talk to the service. Fails when the settings are not all right. */
  #openContext(operation: Operation, kind: ErrorKind, advice = ""): Context {
    const { settings, problems } = this.#configuration;
    if (settings === undefined) {
      const text = `${operation.name} failed: ${problems.join(". ")}. Nothing was sent. ${advice}`;
      throw new WebhookError(kind, text);
    }
    const engine = this.#engine;
    this.#account ??= { settings, transport: new Transport(settings, engine.stopping) };
    return { account: this.#account, ledger: this.#ledger, engine, operation };
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

const staysAdvice =
  'The webhook stays in the state. "pulumi destroy" reads the environment, and the configuration of the last "pulumi up": set the variable, or run "pulumi config set" and then "pulumi destroy --run-program".';
