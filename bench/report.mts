import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";

const documentFile = join(import.meta.dirname, "../docs/contributing/benchmarks.md");
const require = createRequire(import.meta.url);

/** A text for the document, and the name in the two comments between which it stands. */
export interface Section {
  readonly name: string;
  readonly text: string;
}

/** Writes each section into `docs/contributing/benchmarks.md`, between the two comments with its name. */
export async function writeDocument(sections: readonly Section[]): Promise<void> {
  let document = await readFile(documentFile, "utf8");
  for (const { name, text } of sections) {
    const content = new RegExp(`(?<=<!-- begin ${name} -->\n)[^]*(?=<!-- end ${name} -->)`);
    if (!content.test(document)) {
      throw new Error(`docs/contributing/benchmarks.md has no comments for "${name}".`);
    }
    document = document.replace(content, () => `\n${text}\n\n`);
  }
  await writeFile(documentFile, document);
}

/** Describes the command, the date, the machine and the versions of a run, without identifying the machine. */
export function environmentText(versions: Readonly<Record<string, string>> = {}): string {
  const args = process.argv
    .slice(2)
    .map((arg) => (/[\s,]/.test(arg) ? `"${arg}"` : arg))
    .join(" ");
  const tools = {
    "pulumi-dbwebhooks": versionOf("../package.json"),
    "@pulumi/pulumi": versionOf("@pulumi/pulumi/package.json"),
    ...versions,
    "Node.js": process.versions.node,
  };
  return [
    `\`npm run bench${args && ` -- ${args}`}\`, ${new Date().toISOString().slice(0, 10)}:`,
    `${availableParallelism()} cores, ${Math.round(totalmem() / 1024 ** 3)} GB,`,
    `${cpus()[0]?.model ?? "unknown processor"}, ${process.platform} ${process.arch};`,
    `${Object.entries(tools)
      .map((tool) => tool.join(" "))
      .join(", ")}.`,
  ].join(" ");
}

function versionOf(packageFile: string): string {
  return (require(packageFile) as { version: string }).version;
}
