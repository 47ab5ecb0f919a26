import { delimiter, join } from "node:path";
import { buildLanguageHost, languageFingerprint, pythonExecutor } from "./build.mts";
import { type CacheEntry, fillEntry, isWhole } from "./cache.mts";
import type { CopyContext } from "./copies.mts";
import { executableName, executablesOnPath } from "./executables.mts";
import { type Language, languageVersions } from "./pins.mts";
import { wantedSources } from "./sources.mts";

/** The languages that `DBWEBHOOKS_PULUMI_LANGUAGES` names; none where it is not set. */
export function wantedLanguages(environment: NodeJS.ProcessEnv): readonly Language[] {
  const value = environment.DBWEBHOOKS_PULUMI_LANGUAGES;
  if (value === undefined || value === "") return [];
  const languages = Object.keys(languageVersions) as Language[];
  return value.split(",").map((name) => {
    const language = languages.find((known) => known === name.trim());
    if (language) return language;
    throw new Error(
      `DBWEBHOOKS_PULUMI_LANGUAGES is ${JSON.stringify(value)}; it takes ${languages.join(", ")}`,
    );
  });
}

/**
 * The PATH with language hosts on it, added behind all else. A host that is on it already is taken
 * as it is; others come from the cache or are built.
 */
export async function pathWithLanguages(
  path: string,
  languages: readonly Language[],
  context: CopyContext,
  cacheDirectory: string,
): Promise<string> {
  const directories: string[] = [];
  for (const language of languages) {
    if ((await executablesOnPath(hostOf(language), path)).length > 0) continue;

    const entry = cacheEntryOf(language, cacheDirectory);
    if (!(await isWhole(entry))) await makeHost(language, entry, context);
    directories.push(join(entry.directory, "bin"));
  }
  return [path, ...directories].join(delimiter);
}

function hostOf(language: Language): string {
  return `pulumi-language-${language}`;
}

function cacheEntryOf(language: Language, cacheDirectory: string): CacheEntry {
  const version = languageVersions[language];
  const parts = [version, process.platform, process.arch, languageFingerprint(language)];
  return {
    directory: join(cacheDirectory, "pulumi-cli", [`language-${language}`, ...parts].join("-")),
    executables: [
      executableName(hostOf(language)),
      ...(language === "python" ? [pythonExecutor] : []),
    ].map((name) => join("bin", name)),
  };
}

async function makeHost(
  language: Language,
  entry: CacheEntry,
  context: CopyContext,
): Promise<void> {
  try {
    if (!wantedSources(context.environment).includes("build")) {
      throw new Error("DBWEBHOOKS_PULUMI_CLI leaves builds out");
    }
    await fillEntry(entry, {
      fill: (directory) => buildLanguageHost(language, directory, context),
      onWait: () => context.say(`another process is building ${hostOf(language)}; waiting for it`),
      signal: context.signal,
    });
  } catch (error) {
    context.signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `There is no ${hostOf(language)} on PATH, and it cannot be built: ${reason}\n` +
        "Install the official Pulumi CLI, which has it: https://www.pulumi.com/docs/install/",
    );
  }
}
