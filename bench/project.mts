/** What is measured, in the order in which one round does it. */
export const steps = ["up", "no-op up", "refresh", "destroy"] as const;

/** A command that is measured. */
export type Step = (typeof steps)[number];

/** A number of webhooks under one tool, ready to be measured. */
export interface Project {
  /** Directory that the commands run in, and the tool's provider with them. */
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The command of a step, and its arguments. */
  readonly command: (step: Step) => readonly [string, ...string[]];
  /** Tells the provider's process by its command line. */
  readonly isProvider: (commandLine: string) => boolean;
  /** The file that the tool keeps its state in. */
  readonly stateFile: string;
}

/** What opens a project. */
export interface ProjectOptions {
  /** An empty directory for everything that the project needs. */
  readonly root: string;
  /** How many webhooks it declares. */
  readonly count: number;
  readonly service: { readonly baseUrl: string; readonly apiKey: string };
}

/** Something that is measured against others. */
export interface Contender {
  readonly name: string;
  readonly open: (options: ProjectOptions) => Promise<Project>;
}
