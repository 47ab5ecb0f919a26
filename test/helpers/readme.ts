/** A block of code in a page. */
interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/** Commands of a page, and what it says that they print. */
export interface ReadmeBlock {
  readonly commands: string;
  /** From the block of plain text that follows, if one does. */
  readonly output: string | undefined;
}

/** The blocks of commands in a page, in their order. */
export function readmeBlocks(page: string): ReadmeBlock[] {
  const blocks = codeBlocks(page);
  return blocks.flatMap(({ language, text }, index) => {
    const next = blocks[index + 1];
    const isOutput = next?.language === "" || next?.language === "text";
    return language === "sh" ? [{ commands: text, output: isOutput ? next.text : undefined }] : [];
  });
}

/** All blocks of code in a page, in their order; those of lists without their indentation. */
export function codeBlocks(page: string): CodeBlock[] {
  return [...page.matchAll(/^( *)```(.*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indentation = "", language = "", text = ""]) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
    }),
  );
}

/** What stands below a heading of the second level. */
export function sectionOf(page: string, heading: string): string {
  return page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
}
