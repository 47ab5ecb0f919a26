import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { parse } from "semver";
import { outputOf } from "./child.mts";

/** A program's file name on this platform. */
export function executableName(name: string): string {
  return process.platform === "win32" ? `${name}.exe` : name;
}

/** Every executable of this name on PATH, in its order, as absolute paths. */
export async function executablesOnPath(name: string, path: string | undefined): Promise<string[]> {
  const directories = (path ?? "").split(delimiter).filter((directory) => isAbsolute(directory));
  const found: string[] = [];
  for (const directory of new Set(directories)) {
    const file = join(directory, executableName(name));
    if (await isExecutable(file)) found.push(file);
  }
  return found;
}

/** Whether this is a file that may be executed. */
export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

export interface VersionOptions {
  environment: NodeJS.ProcessEnv;
  /** How long it may take to answer. Default 15. */
  limitSeconds?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The version, without a `v`, that a Pulumi CLI says it has. Fails when it does not say one. */
export async function cliVersion(command: string, options: VersionOptions): Promise<string> {
  const answer = await outputOf(command, ["version"], {
    env: { ...options.environment, PULUMI_SKIP_UPDATE_CHECK: "true" },
    limitSeconds: options.limitSeconds ?? 15,
    signal: options.signal,
    ownGroup: true,
  });
  const version = parse(answer.trim());
  if (version === null) {
    throw new Error(`its version is not one: ${JSON.stringify(answer.trim().slice(0, 100))}`);
  }
  return version.version;
}
