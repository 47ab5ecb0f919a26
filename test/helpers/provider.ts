import { vi } from "vitest";
import * as dynamic from "../../src/adapters/dynamic.js";
import { EngineMonitor, type Notify, type Severity } from "../../src/provider/engine.js";
import type { RequestOptions } from "../../src/provider/operation.js";
import { WebhookProvider } from "../../src/provider/provider.js";
import type { Properties } from "../../src/provider/values.js";
import { apiKey } from "./builders.js";

export type Texts = Readonly<Record<string, string | undefined>>;
type Options = Partial<RequestOptions>;

const account: Texts = { baseUrl: "https://tables.example.com", apiKey };

/** The rules as both adapters use them, with these settings, and the lines that they write. */
export function someProvider(
  settings: Texts = {},
  engine: EngineMonitor = new EngineMonitor(undefined, () => undefined),
  environment: Texts = {},
) {
  const get = (name: string) => ({ ...account, ...settings })[name];
  const provider = new WebhookProvider(
    { get, isExplicit: () => settings.isExplicit === "true", environment },
    engine,
  );
  const lines: { readonly line: string; readonly severity: Severity }[] = [];
  const notify: Notify = (line, severity) => void lines.push({ line, severity });
  return { provider, engine, lines, notify };
}

/** The same provider as functions, with the lines that they write, each after its severity. */
export function startProvider(settings: Texts = {}, engine?: EngineMonitor, environment?: Texts) {
  const { provider } = someProvider(settings, engine, environment);
  const lines: string[] = [];
  const notify: Notify = (line, severity) => void lines.push(`${severity}: ${line}`);
  return {
    lines,
    check: (olds: Properties, news: Properties, options?: Options) =>
      provider.check(olds, news, { notify, ...options }),
    diff: (id: string, olds: Properties, news: Properties, options?: Options) =>
      provider.diff(id, olds, news, { notify, ...options }),
    create: (inputs: Properties, options?: Options) =>
      provider.create(inputs, { notify, ...options }),
    read: (id: string, props: Properties, options?: Options) =>
      provider.read(id, props, { notify, ...options }),
    import: (id: string, databaseId: string, options?: Options) =>
      provider.import(id, databaseId, { notify, ...options }),
    delete: (id: string, props: Properties, options?: Options) =>
      provider.delete(id, props, { notify, ...options }),
  };
}

/** Configures the dynamic provider as Pulumi does; names come without the namespace. */
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
