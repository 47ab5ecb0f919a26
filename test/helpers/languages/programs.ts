import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";

/** What is done with a stack. */
export type StackCommand = "preview" | "up" | "refresh" | "destroy";

/** The program of an example, and how to run it. */
export interface LanguageProgram {
  readonly name: string;
  /** The directory below `examples`. */
  readonly example: string;
  /** The file that declares the webhooks. */
  readonly file: string;
  /** The name of the project. */
  readonly project: string;
  /** The words that run a command of the stack `dev`. */
  words(command: StackCommand): readonly [string, ...string[]];
  /** The text that ends the declaration of `orders`, and the text that also imports it. */
  importing(id: string): readonly [string, string];
}

/** The programs that need no SDK, by the host's or by the Automation API. */
export const languagePrograms: readonly LanguageProgram[] = [
  {
    name: "YAML",
    example: "yaml",
    file: "Pulumi.yaml",
    project: "dbwebhooks-yaml",
    words: (command) =>
      command === "preview"
        ? ["pulumi", "preview", "--non-interactive"]
        : ["pulumi", command, "--yes", "--skip-preview", "--non-interactive"],
    importing: (id) => {
      const end = "events: [record.created, record.updated]\n";
      return [end, `${end}    options: { import: ${id} }\n`];
    },
  },
  {
    name: "Python",
    example: "python",
    file: "inline.py",
    project: "dbwebhooks-python",
    words: (command) => [inject("languages").python, "inline.py", command],
    importing: (id) => {
      const end = `events=["record.created", "record.updated"],\n`;
      return [end, `${end}        opts=pulumi.ResourceOptions(import_="${id}"),\n`];
    },
  },
  {
    name: "Go",
    example: "go",
    file: "inline/main.go",
    project: "dbwebhooks-go",
    words: (command) => ["go", "run", "./inline", command],
    importing: (id) => {
      const end = `"record.updated"}),\n\t}`;
      return [`${end})`, `${end}, pulumi.Import(pulumi.ID("${id}")))`];
    },
  },
];

/** Changes a program as its author would: the first occurrence of each text, which must be there. */
export async function edit(
  file: string,
  changes: readonly (readonly [string, string])[],
): Promise<void> {
  let text = await readFile(file, "utf8");
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${file} does not have ${from}`);
    text = text.replace(from, () => to);
  }
  await writeFile(file, text);
}

/** Names the plugin of this build in a project that does not. */
export async function usePlugin(directory: string): Promise<void> {
  const file = join(directory, "Pulumi.yaml");
  const project = await readFile(file, "utf8");
  if (!project.includes("\nplugins:")) {
    await writeFile(file, `${project}${pluginsOfProject}`);
  }
}

const pluginsOfProject = `plugins:
  providers:
    - name: dbwebhooks
      path: ../../dist-plugin
`;
