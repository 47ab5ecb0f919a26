import type { Account } from "../service/client.js";
import type { Settings } from "./config.js";
import type { Engine } from "./engine.js";
import type { Ledger } from "./ledger.js";
import type { Operation } from "./operation.js";

/** An account of the service with the settings that it was configured with. */
export interface ConfiguredAccount extends Account {
  readonly settings: Settings;
}

/** What an operation that talks to the service works with. */
export interface Context {
  readonly account: ConfiguredAccount;
  readonly ledger: Ledger;
  readonly engine: Engine;
  readonly operation: Operation;
}
