import type { ErrorKind } from "../../src/provider/errors.ts";

/** The kind that an error names at its end; `undefined` where it names none. */
export function kindOf({ message }: { readonly message: string }): ErrorKind | undefined {
  return /\[(\w+)\]$/.exec(message.trimEnd())?.[1] as ErrorKind | undefined;
}
