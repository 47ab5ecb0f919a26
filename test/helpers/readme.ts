/** Commands of a README, and what it says that they print. */
export interface ReadmeBlock {
  readonly commands: string;
  /** From the block without a language that follows, if one does. */
  readonly output: string | undefined;
}

/** The blocks of commands in a README, in their order. */
export function readmeBlocks(readme: string): ReadmeBlock[] {
  const fences = [...readme.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = "", text = ""]) => ({ language, text }),
  );
  return fences.flatMap(({ language, text }, index) => {
    const next = fences[index + 1];
    const output = next?.language === "" ? next.text : undefined;
    return language === "sh" ? [{ commands: text, output }] : [];
  });
}
