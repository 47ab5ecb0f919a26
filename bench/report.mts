import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { availableParallelism, cpus, totalmem } from "node:os";
import { join } from "node:path";

const documentFile = join(import.meta.dirname, "../docs/contributing/benchmarks.md");
const require = createRequire(import.meta.url);

/** A text that a run creates, and the name of its place in the document. */
export interface Section {
  readonly name: string;
  readonly text: string;
}

/** Writes each text between the two comments in `docs/contributing/benchmarks.md` that name its place. */
export async function writeDocument(sections: readonly Section[]): Promise<void> {
  let document = await readFile(documentFile, "utf8");
  for (const { name, text } of sections) {
    const place = new RegExp(`(?<=<!-- begin ${name} -->\n)[^]*(?=<!-- end ${name} -->)`);
    if (!place.test(document)) {
      throw new Error(`docs/contributing/benchmarks.md has no place for "${name}".`);
    }
    document = document.replace(place, () => `\n${text}\n\n`);
  }
  await writeFile(documentFile, document);
}

/** Describes the environment of the measurements, without anything that identifies the machine. */
export function originText(versions: Readonly<Record<string, string>> = {}): string {
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
