/**
 * Whether a text holds control characters, or white space at its ends. They come from a line of a file
 * in most cases.
 */
export function hasStrayCharacters(text: string): boolean {
  return /^\s|\s$|\p{Cc}/u.test(text);
}
