import * as dynamic from "../../src/adapters/dynamic.ts";
import type { Transport } from "../../src/api/transport.ts";
import { EngineMonitor } from "../../src/provider/command/engine-monitor.ts";
import type { OperationOptions } from "../../src/provider/command/operation.ts";
import type { Notify } from "../../src/provider/command/reporter.ts";
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
  readonly transport?: Pick<Transport, "send" | "sendUndo">;
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
    check: (news: Properties, options?: SomeOptions) =>
      provider.check({ news }, optionsWith(options)),
    diff: (
      id: string,
      olds: Properties,
      news: Properties,
      { ignored = [], ...options }: SomeOptions & { readonly ignored?: readonly string[] } = {},
    ) => provider.diff({ ...parseStateEntry(id, olds), news, ignored }, optionsWith(options)),
    create: (inputs: Properties, options?: SomeOptions) =>
      provider.create({ inputs }, optionsWith(options)),
    read: (id: string, props: Properties, options?: SomeOptions) =>
      provider.read(parseStateEntry(id, props), optionsWith(options)),
    import: (id: string, options?: SomeOptions) => {
      const request = { id, description: environment.DBWEBHOOKS_IMPORT };
      return provider.import(request, optionsWith(options));
    },
    delete: (id: string, props: Properties, options?: SomeOptions) =>
      provider.delete(parseStateEntry(id, props), optionsWith(options)),
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
