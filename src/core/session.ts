import { oneLine } from "../common/redact.js";
import type { Account } from "../service/client.js";
import { presentable, WebhookError } from "../service/errors.js";
import { type Notify, Operation } from "../service/operation.js";
import { TimeLimit } from "../service/time-limit.js";
import { createTransport } from "../service/transport.js";
import { type ConfigResult, type ConfigSource, readConfig } from "./config.js";
import type { Engine } from "./engine.js";
import { Ledger } from "./ledger.js";
import { hiddenValues } from "./state.js";
import type { Properties } from "./values.js";

/** What one configured provider has: configuration, account and ledger, and the engine it works for. */
export class Session {
  readonly engine: Engine;
  readonly ledger = new Ledger();
  readonly #source: ConfigSource;
  #config: ConfigResult | undefined;
  #account: Account | undefined;

  /** Keeps the configuration for the first operation that needs it. Never throws. */
  constructor(source: ConfigSource, engine: Engine) {
    this.#source = source;
    this.engine = engine;
  }

  /** The variables of the process. */
  get environment(): ConfigSource["environment"] {
    return this.#source.environment;
  }

  /** The settings, or what is wrong with them. */
  get config(): ConfigResult {
    this.#config ??= readConfig(this.#source);
    return this.#config;
  }

  /**
   * Gives the account to talk to. Fails when the settings are not all right.
   *
   * @param operation What the error names.
   * @param advice What the error says besides, of a command that does not run the program.
   */
  openAccount(operation: string, advice?: string): Account {
    const { config } = this;
    const { settings } = config;
    if (settings === undefined) {
      const problems = advice === undefined ? config.problems : config.problemsOfCommand;
      const what = `${oneLine(operation, 300)} failed: ${problems.join(". ")}`;
      throw new WebhookError([`${what}.`, advice, "Nothing was sent."].filter(Boolean).join(" "));
    }
    this.#account ??= { settings, transport: createTransport(settings, this.engine.stopping) };
    return this.#account;
  }

  /**
   * Runs one operation. All errors are {@link WebhookError}s, fit to be shown.
   *
   * @param properties The arguments or the state, whose secrets no message shows.
   * @param timeoutSeconds How long it may take. Default: no limit of its own.
   */
  async run<Result>(
    name: string,
    properties: Properties,
    notify: Notify,
    run: (operation: Operation) => Promise<Result>,
    timeoutSeconds?: number,
  ): Promise<Result> {
    const timeLimit = timeoutSeconds ? new TimeLimit(timeoutSeconds) : undefined;
    const hidden = () => {
      const apiKey = this.#config?.settings?.apiKey;
      return [...(apiKey === undefined ? [] : [apiKey]), ...hiddenValues(properties)];
    };
    const operation = new Operation(name, notify, hidden, timeLimit);
    this.engine.begin();
    try {
      return await run(operation);
    } catch (error) {
      throw presentable(error, operation);
    } finally {
      this.engine.end();
      timeLimit?.clear();
    }
  }
}
