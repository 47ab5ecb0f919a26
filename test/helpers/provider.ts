import { vi } from "vitest";
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
