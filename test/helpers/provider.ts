import * as dynamic from "../../src/adapters/dynamic.ts";
import { checkOperation } from "../../src/provider/check.ts";
import { EngineMonitor } from "../../src/provider/command/engine-monitor.ts";
import type { OperationOptions, SomeTransport } from "../../src/provider/command/operation.ts";
import type { Notify } from "../../src/provider/command/reporter.ts";
import { createOperation } from "../../src/provider/create.ts";
import { deleteOperation } from "../../src/provider/delete.ts";
import { diffOperation } from "../../src/provider/diff.ts";
import { importOperation } from "../../src/provider/import.ts";
import { readOperation } from "../../src/provider/read.ts";
import { parseStateEntry } from "../../src/provider/rules/state.ts";
import type { Properties } from "../../src/provider/rules/values.ts";
import { WebhookProvider } from "../../src/provider/webhook-provider.ts";
import { apiKey } from "./builders.ts";

export type Texts = Readonly<Record<string, string | undefined>>;
type SomeOptions = Partial<OperationOptions>;
export interface ProviderOptions {
  readonly engine?: EngineMonitor;
  readonly environment?: Texts;
  /** By default a real one, which sends requests. */
  readonly transport?: SomeTransport;
}

const account: Texts = { baseUrl: "https://tables.example.com", apiKey };

/**
 * Starts the provider that both adapters use. `lines` are the lines that it writes, each after its
 * severity.
 *
 * @param settings Texts, as in Pulumi's configuration. `isExplicit: "true"` makes them the
 * arguments of an explicit provider.
 */
export function startProvider(settings: Texts = {}, options: ProviderOptions = {}) {
  const { engine = new EngineMonitor(undefined, () => undefined), environment = {} } = options;
  const { transport } = options;
  const get = (name: string) => ({ ...account, ...settings })[name];
  const isExplicit = () => settings.isExplicit === "true";
  const provider = new WebhookProvider(
    { get, isExplicit, environment },
    engine,
    transport && (() => transport),
  );
  const lines: string[] = [];
  const notify: Notify = (line, severity) => void lines.push(`${severity}: ${line}`);
  const optionsWith = (options?: SomeOptions) => ({ notify, ...options });
  return {
    lines,
    /** Returns the inputs and the reasons of the failures. */
    check: async (news: Properties, options?: SomeOptions) => {
      const { inputs, failures = [] } = await provider.perform(
        checkOperation,
        { news },
        optionsWith(options),
      );
      return { inputs, failures: failures.map(({ reason }) => reason) };
    },
    diff: (
      id: string,
      olds: Properties,
      news: Properties,
      { ignored = [], ...options }: SomeOptions & { readonly ignored?: readonly string[] } = {},
    ) =>
      provider.perform(
        diffOperation,
        { ...parseStateEntry(id, olds), news, ignored },
        optionsWith(options),
      ),
    create: (inputs: Properties, options?: SomeOptions) =>
      provider.perform(createOperation, { inputs }, optionsWith(options)),
    read: (id: string, props: Properties, options?: SomeOptions) =>
      provider.perform(readOperation, parseStateEntry(id, props), optionsWith(options)),
    import: (id: string, options?: SomeOptions) => {
      const request = { id, description: environment.DBWEBHOOKS_IMPORT };
      return provider.perform(importOperation, request, optionsWith(options));
    },
    delete: (id: string, props: Properties, options?: SomeOptions) =>
      provider.perform(deleteOperation, parseStateEntry(id, props), optionsWith(options)),
  };
}

/**
 * Configures the dynamic provider as Pulumi does. The names of the settings have no `dbwebhooks:`
 * here.
 */
export async function configure(settings: Texts = {}): Promise<void> {
  const get = (key: string) => ({ ...account, ...settings })[key.replace("dbwebhooks:", "")];
  await dynamic.configure({ config: { get, require: (key: string) => get(key) ?? "" } });
}
