/** A block of code in a page. */
interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/** Commands of a page, and the output that the page documents for them. */
export interface ReadmeBlock {
  readonly commands: string;
  /** The block of plain text that follows, if there is one. */
  readonly output: string | undefined;
}

/** Returns the blocks of commands in a page, in their order. */
export function readmeBlocks(page: string): ReadmeBlock[] {
  const blocks = codeBlocks(page);
  return blocks.flatMap(({ language, text }, index) => {
    const next = blocks[index + 1];
    const isOutput = next?.language === "" || next?.language === "text";
    return language === "sh" ? [{ commands: text, output: isOutput ? next.text : undefined }] : [];
  });
}

/** Returns all blocks of code in a page, in their order. A block in a list loses its indentation. */
export function codeBlocks(page: string): CodeBlock[] {
  return [...page.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indentation = "", language = "", text = ""]) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
    }),
  );
}

/** Returns the text below a heading of the second level. */
export function sectionOf(page: string, heading: string): string {
  return page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
}
