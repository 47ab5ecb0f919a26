/** The ways to a CLI, in the order in which they are tried. */
export const sources = ["path", "installer", "build"] as const;

export type CliSource = (typeof sources)[number];

/** The sources that `DBWEBHOOKS_PULUMI_CLI` names; all where it is not set. */
export function wantedSources(environment: NodeJS.ProcessEnv): readonly CliSource[] {
  const value = environment.DBWEBHOOKS_PULUMI_CLI;
  if (value === undefined || value === "") return sources;
  return value.split(",").map((name) => {
    const source = sources.find((known) => known === name.trim());
    if (source) return source;
    throw new Error(
      `DBWEBHOOKS_PULUMI_CLI is ${JSON.stringify(value)}; it takes ${sources.join(", ")}`,
    );
  });
}
