// Runs the operations on webhooks for one configured provider. The adapters translate between
// Pulumi and them. Requests and results have the shapes of Pulumi's dynamic providers.
import { Transport } from "../api/transport.js";
import { failure, webhookErrorOf } from "./messages/failure.js";
import { delayText } from "./messages/notices.js";
import { type ConfigResult, type ConfigSource, readConfig, type Settings } from "./rules/config.js";
import type { EngineMonitor } from "./run/engine-monitor.js";
import { KnownWebhooks } from "./run/known-webhooks.js";
import {
  type Context,
  type LocalContext,
  Operation,
  type OperationDefinition,
  type OperationOptions,
  sensitiveValues,
} from "./run/operation.js";

/**
 * Runs operations with one configuration. What it knows of webhooks lasts as long as it does: one
 * Pulumi command.
 */
export class WebhookProvider {
  readonly #source: ConfigSource;
  readonly #engineMonitor: EngineMonitor;
  readonly #knownWebhooks = new KnownWebhooks();
  readonly #refreshLists: Context["refreshLists"] = new Map();
  readonly #shown = new Set<string>();
  #config: ConfigResult | undefined;
  #transport: Transport | undefined;

  /** Keeps the source of the configuration for the first operation that needs it. Never throws. */
  constructor(source: ConfigSource, engineMonitor: EngineMonitor) {
    this.#source = source;
    this.#engineMonitor = engineMonitor;
  }

  /** Performs one operation. Each error is a `WebhookError`. */
  async perform<Request, Result>(
    definition: OperationDefinition<Request, Result>,
    request: Request,
    { notify, urn }: OperationOptions,
  ): Promise<Result> {
    const sensitive = () => [
      this.#config?.settings?.apiKey ?? "",
      ...sensitiveValues(definition.sensitive(request, this.#source.environment)),
    ];
    const name = definition.name(request);
    const operation = new Operation(name, notify, this.#shown, sensitive);
    const { isCreation = false } = definition;
    try {
      return await this.#engineMonitor.track(
        () => this.#runConfigured(definition, request, operation, urn),
        { isCreation },
      );
    } catch (error) {
      throw webhookErrorOf(error, operation);
    }
  }

  async #runConfigured<Request, Result>(
    { run, onInvalidSettings }: OperationDefinition<Request, Result>,
    request: Request,
    operation: Operation,
    urn: string | undefined,
  ): Promise<Result> {
    this.#config ??= readConfig(this.#source);
    const { settings, problems } = this.#config;
    const { environment } = this.#source;
    const knownWebhooks = this.#knownWebhooks;
    const context = { config: this.#config, knownWebhooks, operation, urn, environment };
    if (settings !== undefined) {
      return run(this.#connect(context, settings), request);
    }
    if (typeof onInvalidSettings === "function") {
      return onInvalidSettings(context, request);
    }
    const isExplicit = this.#source.isExplicit();
    throw failure("invalidSettings", operation, { kind: onInvalidSettings, problems, isExplicit });
  }

  #connect(context: LocalContext, settings: Settings): Context {
    const engineMonitor = this.#engineMonitor;
    this.#transport ??= new Transport(settings, engineMonitor.stopping);
    return {
      ...context,
      settings,
      transport: this.#transport,
      refreshLists: this.#refreshLists,
      engineMonitor,
      onDelay: (delay) => context.operation.notify(delayText(delay)),
    };
  }
}
