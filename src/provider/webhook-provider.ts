// Runs the operations on webhooks for one configured provider. The adapters translate between
// Pulumi and them. Requests and results have the shapes of Pulumi's dynamic providers.
import { Transport } from "../api/transport.js";
import type { EngineMonitor } from "./command/engine-monitor.js";
import { KnownWebhooks } from "./command/known-webhooks.js";
import type {
  Context,
  LocalContext,
  Operation,
  OperationOptions,
  SomeTransport,
} from "./command/operation.js";
import { Reporter } from "./command/reporter.js";
import { failed, webhookErrorOf } from "./messages/error-message.js";
import { failures } from "./messages/failures.js";
import { delayText } from "./messages/notices.js";
import {
  readSettings,
  type Settings,
  type SettingsResult,
  type SettingsSource,
} from "./rules/settings.js";

/**
 * Runs operations with one configuration. What it knows of webhooks lasts as long as it does: one
 * Pulumi command.
 */
export class WebhookProvider {
  readonly #source: SettingsSource;
  readonly #engineMonitor: EngineMonitor;
  readonly #createTransport: CreateTransport;
  readonly #knownWebhooks = new KnownWebhooks();
  readonly #refreshLists: Context["refreshLists"] = new Map();
  readonly #shown = new Set<string>();
  #settingsResult: SettingsResult | undefined;
  #transport: SomeTransport | undefined;

  /** Keeps the source of the settings for the first operation that needs them. Never throws. */
  constructor(
    source: SettingsSource,
    engineMonitor: EngineMonitor,
    createTransport: CreateTransport = (settings, stopping) => new Transport(settings, stopping),
  ) {
    this.#source = source;
    this.#engineMonitor = engineMonitor;
    this.#createTransport = createTransport;
  }

  /** Performs one operation. Each error is a `WebhookError`. */
  async perform<Request, Result>(
    operation: Operation<Request, Result>,
    request: Request,
    { notify, urn }: OperationOptions,
  ): Promise<Result> {
    const sensitive = () => [
      { apiKeys: [this.#settingsResult?.settings?.apiKey ?? ""] },
      operation.sensitive(request),
    ];
    const reporter = new Reporter(operation.name(request), notify, this.#shown, sensitive);
    try {
      return await this.#engineMonitor.track(() => this.#run(operation, request, reporter, urn));
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
    const { settings, problems } = this.#settingsResult;
    const context = {
      settingsResult: this.#settingsResult,
      knownWebhooks: this.#knownWebhooks,
      reporter,
      urn,
    };
    if (operation.kind === "local") {
      return operation.run(context, request);
    }
    if (settings === undefined) {
      const isExplicit = this.#source.isExplicit();
      throw failed(reporter, failures.invalidSettings(operation.kind, problems, isExplicit));
    }
    return operation.run(this.#connect(context, settings), request);
  }

  #connect(context: LocalContext, settings: Settings): Context {
    const engineMonitor = this.#engineMonitor;
    this.#transport ??= this.#createTransport(settings, engineMonitor.stopping);
    return {
      ...context,
      settings,
      transport: this.#transport,
      refreshLists: this.#refreshLists,
      engineMonitor,
      onDelay: (delay) => context.reporter.notify(delayText(delay)),
    };
  }
}

type CreateTransport = (settings: Settings, stopping: AbortSignal) => SomeTransport;
