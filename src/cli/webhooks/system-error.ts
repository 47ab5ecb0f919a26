import { getSystemErrorMessage } from "node:util";
import { oneLine } from "../../common/plain-text.js";

/** Returns the text of an error of the system, which would otherwise repeat the path. */
export function systemErrorText(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return errno === undefined ? oneLine(message, 300) : getSystemErrorMessage(errno);
}
