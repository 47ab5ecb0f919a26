// Distinguishes text that is shown unchanged from text that terminals, Pulumi or CI systems obey.

// Variation selectors are part of an emoji.
const invisible = /(?!\p{VS})[\p{Cf}\p{DI}]/gu;
const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
// The beginning of a command in any line. Pulumi's CLI takes "<{%…%}>" for a colour, and panics at
// an unknown one; CI systems obey "##[…]", "##vso[…]" and "##teamcity[…]" anywhere, and "::…::" at
// the beginning of a line.
const commands = /<\{%|##[\w-]*\[|^\s*::(?=[\w-].*::)/g;

/**
 * The length of the longest text that the state gets from a list, in UTF-16 code units. A url has
 * the same limit, so that a list can show it.
 */
export const maxTextLength = 2_048;

/**
 * Whether a text can be stored and shown unchanged: nothing in it is obeyed or altered. U+FFFD is
 * altered already: it stands for bytes that were not UTF-8.
 */
export function isPlainText(text: string): boolean {
  return plainTextOf(text) === text && !text.includes("\ufffd");
}

/**
 * Makes a text fit for one line of Pulumi's output: plain, because a lone surrogate makes Pulumi's
 * provider process hang, and at most `maxLength` UTF-16 units long.
 */
export function oneLine(text: string, maxLength: number): string {
  const line = plainTextOf(text).trim();
  const cut = line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
  return cut.toWellFormed();
}

/** Shortens a value from outside to one line, so that it leaves room for the rest of a sentence. */
export function shownValue(value: string): string {
  return oneLine(value, 100);
}

function plainTextOf(text: string): string {
  return (
    text
      // Comes first: two lone surrogates would become a pair once the character between them is
      // gone.
      .toWellFormed()
      .replace(invisible, "")
      .replace(controlCharacters, " ")
      .replace(commands, (command) => `${command.slice(0, -1)} ${command.slice(-1)}`)
  );
}
