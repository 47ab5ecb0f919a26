import { vi } from "vitest";
import * as dynamic from "../../src/adapters/dynamic.ts";
import type { Comparison } from "../../src/provider/differences.ts";
import { EngineMonitor, type Notify } from "../../src/provider/engine.ts";
import type { OperationOptions } from "../../src/provider/operation.ts";
import type { Properties } from "../../src/provider/values.ts";
import { WebhookProvider } from "../../src/provider/webhook-provider.ts";
import { apiKey } from "./builders.ts";

export type Texts = Readonly<Record<string, string | undefined>>;
type SomeOptions = Partial<OperationOptions>;
export interface ProviderOptions {
  readonly engine?: EngineMonitor;
  readonly environment?: Texts;
}

const account: Texts = { baseUrl: "https://tables.example.com", apiKey };

/**
 * Starts the provider that both adapters use. `lines` are the lines that it writes, each after its severity.
 *
 * @param settings Texts, as in Pulumi's configuration. `isExplicit: "true"` makes them the arguments of an
 * explicit provider.
 */
export function startProvider(settings: Texts = {}, options: ProviderOptions = {}) {
  const { engine = new EngineMonitor(undefined, () => undefined), environment = {} } = options;
  const get = (name: string) => ({ ...account, ...settings })[name];
  const isExplicit = () => settings.isExplicit === "true";
  const provider = new WebhookProvider({ get, isExplicit, environment }, engine);
  const lines: string[] = [];
  const notify: Notify = (line, severity) => void lines.push(`${severity}: ${line}`);
  return {
    lines,
    /** Returns the inputs and the reasons of the failures. */
    check: async (news: Properties) => {
      const { inputs, failures = [] } = await provider.check(news, { notify });
      return { inputs, failures: failures.map(({ reason }) => reason) };
    },
    diff: (
      id: string,
      olds: Properties,
      news: Properties,
      options?: SomeOptions & Pick<Comparison, "ignored">,
    ) => provider.diff(id, olds, news, { notify, ...options }),
    create: (inputs: Properties, options?: SomeOptions) =>
      provider.create(inputs, { notify, ...options }),
    read: (id: string, props: Properties, options?: SomeOptions) =>
      provider.read(id, props, { notify, ...options }),
    import: (id: string, databaseId: string, options?: SomeOptions) =>
      provider.import(id, databaseId, { notify, ...options }),
    delete: (id: string, props: Properties, options?: SomeOptions) =>
      provider.delete(id, props, { notify, ...options }),
  };
}

/** Configures the dynamic provider as Pulumi does. The names of the settings have no `dbwebhooks:` here. */
export async function configure(settings: Texts = {}): Promise<void> {
  const get = (key: string) => ({ ...account, ...settings })[key.replace("dbwebhooks:", "")];
  await dynamic.configure({ config: { get, require: (key: string) => get(key) ?? "" } });
}

/** Returns the lines that `run` writes for the user, and its result. */
export async function captureLines<Result>(run: () => Promise<Result>) {
  using write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const result = await run();
  return { lines: write.mock.calls.map(([line]) => String(line)), result };
}
