import { hermeticEnvironment } from "../../tools/pulumi-cli/environment.mts";
import { resolvePulumiCli } from "../../tools/pulumi-cli/resolve.mts";

/**
 * Vitest's global set-up: gets the Pulumi CLI, or fails, before any test of a tier that needs it.
 */
export async function setup(): Promise<void> {
  const cli = await resolvePulumiCli({ languages: ["yaml"] });
  for (const name of Object.keys(process.env)) {
    if (/^(PULUMI|DBWEBHOOKS)_|_proxy$/i.test(name)) {
      delete process.env[name];
    }
  }
  Object.assign(process.env, cli.environment);
}

/** The environment in which Pulumi keeps everything below one directory. */
export async function stackEnvironment(directory: string): Promise<Record<string, string>> {
  const entries = Object.entries(await hermeticEnvironment(directory));
  const isSet = (entry: [string, unknown]): entry is [string, string] => entry[1] !== undefined;
  return Object.fromEntries(entries.filter(isSet));
}
