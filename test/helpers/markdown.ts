import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const repository = join(__dirname, "../..");

/** All Markdown pages of the repository, by their path from its root. */
export const pages: readonly string[] = globSync(
  ["*.md", "docs/**/*.md", "examples/*/*.md", "tools/**/*.md"],
  { cwd: repository, exclude: (name) => name.includes("node_modules") },
).sort();

export function readPage(page: string): string {
  return readFileSync(join(repository, page), "utf8");
}

/** A row of a table, and the head of its table. */
export interface Row {
  readonly head: readonly string[];
  readonly cells: readonly string[];
}

/** The rows of all tables of a text. */
export function rowsOf(markdown: string): Row[] {
  const tables = withoutCodeBlocks(markdown).match(/(?:^\|.*\n)+/gm) ?? [];
  return tables.flatMap((table) => {
    const [head = [], , ...rows] = table.trim().split("\n").map(cellsOf);
    return rows.map((cells) => ({ head, cells }));
  });
}

/** What stands in backticks. */
export function codeSpans(markdown: string): string[] {
  return [...markdown.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

export function withoutCodeBlocks(markdown: string): string {
  return markdown.replace(/^( *)```[\s\S]*?^\1```$/gm, "");
}

/** The names that a link to a place within a page can have, as GitHub makes them from headings. */
export function anchorsOf(markdown: string): string[] {
  const headings = [...withoutCodeBlocks(markdown).matchAll(/^#+ (.+)$/gm)];
  const ids = [...markdown.matchAll(/<a id="([^"]+)">/g)];
  return [...headings.map(([, heading = ""]) => slugOf(heading)), ...ids.map(([, id = ""]) => id)];
}

function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
