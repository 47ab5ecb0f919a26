import type { StoredWebhook } from "pulumi-dbwebhooks/local-service";
import type { ProviderProcess } from "./grpc-provider.js";

export type Properties = Record<string, unknown>;

/** What a creation came to. In a state the secret is in clear, as the engine hands it over. */
export type CreateResult =
  | { readonly id: string; readonly secret: string; readonly state: Properties }
  | {
      readonly error: string;
      /** Present where Pulumi is to store the webhook all the same. */
      readonly partial?: { readonly id: string; readonly reasons: readonly string[] };
    };

/** A way in which the package reaches Pulumi: one provider, driven as the engine drives it. */
export interface Shell {
  readonly name: string;
  /** The id that Pulumi knows a webhook by. */
  idOf(webhook: Pick<StoredWebhook, "databaseId" | "id">): string;
  /**
   * Starts a process of it. The keys of `config` are those of the stack's configuration; what is in
   * `environment` is added to this process's own.
   */
  start(
    config: Readonly<Record<string, string>>,
    environment?: Readonly<Record<string, string | undefined>>,
  ): Promise<RunningShell>;
}

/** Inputs are the arguments of `Webhook`, nothing else. Disposing stops the process. */
export interface RunningShell extends AsyncDisposable {
  check(inputs: Properties): Promise<{ inputs: Properties; failures: readonly string[] }>;
  diff(
    id: string,
    state: Properties,
    inputs: Properties,
  ): Promise<{ isChanged: boolean; replaces: readonly string[] }>;
  create(inputs: Properties): Promise<CreateResult>;
  /** An empty id when the webhook is gone. */
  read(id: string, state: Properties): Promise<{ id: string; state: Properties }>;
  /** Gives the error, if there is one. */
  delete(id: string, state: Properties): Promise<{ error?: string }>;
  /** What the process has logged so far; complete when it is stopped. */
  lines(): readonly string[];
  /** What runs. */
  readonly process: ProviderProcess;
}
