import { vi } from "vitest";
import { Engine } from "../../src/core/engine.ts";
import type { Severity } from "../../src/core/operation.ts";
import { WebhookProvider } from "../../src/core/provider.ts";
import * as provider from "../../src/dynamic/provider.ts";
import { apiKey } from "./builders.ts";

type StackConfig = Readonly<Record<string, string | undefined>>;

/** Configures the provider as Pulumi does; names come without the namespace. */
export async function configure(stackConfig: StackConfig = {}): Promise<void> {
  const all: StackConfig = { baseUrl: "https://tables.example.com", apiKey, ...stackConfig };
  const get = (key: string) => all[key.replace("dbwebhooks:", "")];
  const require = (key: string) => get(key) ?? "";
  await provider.configure({ config: { get, require } });
}

/** What the person who runs Pulumi reads while `run` is at work, and its result. */
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
  settings: StackConfig = {},
  engine: Engine = new Engine(undefined, () => undefined),
  environment: StackConfig = {},
) {
  const all: StackConfig = { baseUrl: "https://tables.example.com", apiKey, ...settings };
  const get = (name: string) => all[name];
  const provider = new WebhookProvider({ get, isExplicit: () => false, environment }, engine);
  const lines: { readonly line: string; readonly severity: Severity }[] = [];
  const notify = (line: string, severity: Severity) => void lines.push({ line, severity });
  return { provider, engine, lines, notify };
}
