// Performs the operations on webhooks for one configured provider. The adapters translate between
// Pulumi and them.
import { type ReportedDelay, Transport, type TransportOptions } from "../api/transport.js";
import { type CheckRequest, type CheckResult, checkOperation } from "./check.js";
import type { EngineMonitor } from "./command/engine-monitor.js";
import { KnownWebhooks } from "./command/known-webhooks.js";
import type { Operation, OperationOptions } from "./command/operation.js";
import { Reporter } from "./command/reporter.js";
import { RefreshLists } from "./command/webhook-lists.js";
import { type CreateRequest, type CreateResult, createOperation } from "./create.js";
import { deleteOperation } from "./delete.js";
import { type DiffRequest, type DiffResult, diffOperation } from "./diff.js";
import { type ImportRequest, type ImportResult, importOperation } from "./import.js";
import { failed, webhookErrorOf } from "./messages/error-message.js";
import { failures } from "./messages/failures.js";
import { delayTextOfPulumi } from "./messages/notices.js";
import { type ReadResult, readOperation } from "./read.js";
import { readSettings, type SettingsResult, type SettingsSource } from "./rules/settings.js";
import type { StateEntry } from "./rules/state.js";

type Senders = Pick<Transport, "send" | "sendUndo">;
type OpenTransport = (options: TransportOptions, stopping: AbortSignal) => Senders;

/**
 * Performs operations with one configuration. What it knows of webhooks lasts as long as it does:
 * one Pulumi command. Each error is a `WebhookError`.
 */
export class WebhookProvider {
  readonly #source: SettingsSource;
  readonly #engineMonitor: EngineMonitor;
  readonly #openTransport: OpenTransport;
  readonly #knownWebhooks = new KnownWebhooks();
  readonly #refreshLists = new RefreshLists();
  readonly #shown = new Set<string>();
  #settingsResult: SettingsResult | undefined;
  #transport: Senders | undefined;

  /** Keeps the source of the settings for the first operation that needs them. Never throws. */
  constructor(
    source: SettingsSource,
    engineMonitor: EngineMonitor,
    openTransport: OpenTransport = (options, stopping) => new Transport(options, stopping),
  ) {
    this.#source = source;
    this.#engineMonitor = engineMonitor;
    this.#openTransport = openTransport;
  }

  check(request: CheckRequest, options: OperationOptions): Promise<CheckResult> {
    return this.#perform(checkOperation, request, options);
  }

  diff(request: DiffRequest, options: OperationOptions): Promise<DiffResult> {
    return this.#perform(diffOperation, request, options);
  }

  create(request: CreateRequest, options: OperationOptions): Promise<CreateResult> {
    return this.#perform(createOperation, request, options);
  }

  read(webhook: StateEntry, options: OperationOptions): Promise<ReadResult> {
    return this.#perform(readOperation, webhook, options);
  }

  import(request: ImportRequest, options: OperationOptions): Promise<ImportResult> {
    return this.#perform(importOperation, request, options);
  }

  delete(webhook: StateEntry, options: OperationOptions): Promise<void> {
    return this.#perform(deleteOperation, webhook, options);
  }

  async #perform<Request, Result>(
    operation: Operation<Request, Result>,
    request: Request,
    { notify, urn }: OperationOptions,
  ): Promise<Result> {
    const sensitive = () => [
      { apiKeys: [this.#settingsResult?.apiKey ?? ""] },
      operation.sensitive(request),
    ];
    const name = operation.name(request);
    const reporter = new Reporter(name, notify, this.#shown, sensitive);
    try {
      return await this.#engineMonitor.performAndMaybeExit(() =>
        this.#run(operation, request, reporter, urn),
      );
    } catch (error) {
      throw webhookErrorOf(error, reporter);
    }
  }

  async #run<Request, Result>(
    operation: Operation<Request, Result>,
    request: Request,
    reporter: Reporter,
    urn: string | undefined,
  ): Promise<Result> {
    this.#settingsResult ??= readSettings(this.#source);
    const { settings, apiKey, problems } = this.#settingsResult;
    const context = { knownWebhooks: this.#knownWebhooks, reporter, urn };
    if (operation.kind === "local") {
      return operation.run({ ...context, settingsResult: this.#settingsResult }, request);
    }
    if (settings === undefined) {
      const isExplicit = this.#source.isExplicit();
      throw failed(reporter, failures.invalidSettings(operation.kind, problems, isExplicit));
    }
    const engineMonitor = this.#engineMonitor;
    this.#transport ??= this.#openTransport({ ...settings, apiKey }, engineMonitor.stopping);
    const { send, sendUndo } = this.#transport;
    const onDelay = (delay: ReportedDelay) => reporter.notify(delayTextOfPulumi(reporter, delay));
    const account = { settings, engineMonitor, refreshLists: this.#refreshLists };
    return operation.run({ ...context, ...account, send, sendUndo, onDelay }, request);
  }
}
