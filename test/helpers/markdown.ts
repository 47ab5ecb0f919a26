import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "./directory.ts";

const names = ["*.md", "docs/**/*.md", "examples/README.md"];
/** The paths of all Markdown pages, from the root of the repository. */
export const pages: readonly string[] = globSync(names, { cwd: repository }).sort();

/** Reads a text file by its path from the root of the repository. */
export const readPage = (path: string) => readFileSync(join(repository, path), "utf8");

/** Returns the text below a heading of the second level. */
export const sectionOf = (markdown: string, heading: string) =>
  markdown.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";

/** Returns all blocks of code in their order. A block in a list loses its indentation. */
export function codeBlocks(markdown: string): { language: string; text: string }[] {
  return [...markdown.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indentation = "", language = "", text = ""]) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
    }),
  );
}

/** Returns the rows of all tables in a text, each with the head of its table. */
export function rowsOf(markdown: string): { head: string[]; cells: string[] }[] {
  const tables = withoutCodeBlocks(markdown).match(/(?:^\|.*\n)+/gm) ?? [];
  return tables.flatMap((table) => {
    const lines = table
      .trim()
      .split("\n")
      .map((row) => row.split(/(?<!\\)\|/).slice(1, -1));
    const [head = [], , ...rows] = lines.map((cells) => cells.map((cell) => cell.trim()));
    return rows.map((cells) => ({ head, cells }));
  });
}

/** Returns the links of a page to files of this repository, with their path from its root. */
export function linksOf(page: string) {
  return [...withoutCodeBlocks(readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : join(dirname(page), path).replace(/\/$/, "");
      return { link, target, anchor };
    });
}

/** Returns the anchors of a page: its headings, in GitHub's spelling, and its ids. */
export function anchorsOf(markdown: string): string[] {
  const ids = markdown.match(/(?<=<a id=")[^"]+/g) ?? [];
  const headings = withoutCodeBlocks(markdown).match(/(?<=^#+ ).+$/gm) ?? [];
  const words = headings.map((heading) => heading.replace(/[^\p{L}\p{N}\s_-]/gu, ""));
  return [...ids, ...words.map((text) => text.toLowerCase().replaceAll(" ", "-"))];
}

const withoutCodeBlocks = (markdown: string) => markdown.replace(/^( *)```[\s\S]*?^\1```$/gm, "");
