import { vi } from "vitest";
import { Engine } from "../../src/core/engine.js";
import type { Notify, Severity } from "../../src/core/operation.js";
import { type ResourceOptions, WebhookProvider } from "../../src/core/provider.js";
import type { Properties } from "../../src/core/values.js";
import * as dynamic from "../../src/dynamic/provider.js";
import { apiKey } from "./builders.js";

type Texts = Readonly<Record<string, string | undefined>>;

interface Surroundings {
  readonly environment?: Texts;
  readonly isExplicit?: boolean;
  /** Makes Pulumi's engine as the provider sees it; the default one is always there. */
  readonly engine?: (notify: Notify) => Engine;
}

/** A provider of its own in this process, and the lines that it shows, each behind its severity. */
export function startProvider(
  settings: Texts = {},
  { environment = {}, isExplicit = false, engine = someEngine }: Surroundings = {},
) {
  const all: Texts = { baseUrl: "https://tables.example.com", apiKey, ...settings };
  const lines: string[] = [];
  const notify: Notify = (line, severity) => void lines.push(`${severity}: ${line}`);
  const source = { get: (name: string) => all[name], isExplicit: () => isExplicit, environment };
  const provider = new WebhookProvider(source, engine(notify));
  return {
    lines,
    check: (olds: Properties, news: Properties, options?: ResourceOptions) =>
      provider.check(olds, news, notify, options),
    diff: (
      id: string,
      olds: Properties,
      news: Properties,
      options?: ResourceOptions & { readonly ignored?: readonly string[] },
    ) => provider.diff(id, olds, news, notify, options),
    create: (inputs: Properties, options?: ResourceOptions) =>
      provider.create(inputs, notify, options),
    read: (id: string, props: Properties) => provider.read(id, props, notify),
    import: (
      id: string,
      databaseId: string,
      options?: ResourceOptions & { readonly isOnlyRead?: boolean },
    ) => provider.import(id, databaseId, notify, options),
    delete: (id: string, props: Properties, options?: ResourceOptions) =>
      provider.delete(id, props, notify, options),
  };
}

/** A provider as {@link startProvider} makes it. */
export type TestProvider = ReturnType<typeof startProvider>;

function someEngine(notify: Notify): Engine {
  return new Engine(undefined, notify);
}

/** Configures the dynamic provider as Pulumi does; names come without the namespace. */
export async function configure(settings: Texts = {}): Promise<void> {
  const all: Texts = { baseUrl: "https://tables.example.com", apiKey, ...settings };
  const get = (key: string) => all[key.replace("dbwebhooks:", "")];
  const require = (key: string) => get(key) ?? "";
  await dynamic.configure({ config: { get, require } });
}

/** What the user reads while `run` is at work, and its result. */
export async function captureLines<Result>(
  run: () => Promise<Result>,
): Promise<{ lines: string[]; result: Result }> {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const result = await run();
    return { lines: write.mock.calls.map(([line]) => String(line)), result };
  } finally {
    write.mockRestore();
  }
}

/** The rules as both shells use them, with these settings, and the lines that they show. */
export function someProvider(
  settings: Texts = {},
  engine: Engine = new Engine(undefined, () => undefined),
  environment: Texts = {},
) {
  const all: Texts = { baseUrl: "https://tables.example.com", apiKey, ...settings };
  const get = (name: string) => all[name];
  const provider = new WebhookProvider({ get, isExplicit: () => false, environment }, engine);
  const lines: { readonly line: string; readonly severity: Severity }[] = [];
  const notify = (line: string, severity: Severity) => void lines.push({ line, severity });
  return { provider, engine, lines, notify };
}
