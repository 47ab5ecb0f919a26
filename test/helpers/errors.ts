import { onTestFinished } from "vitest";
import type { ErrorKind } from "../../src/provider/command/errors.ts";

/** Returns the error with which a promise rejects. */
export const errorOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error("there was no error")),
    (error: Error) => error,
  );

/** The kind that an error names at its end; `undefined` where it names none. */
export function kindOf({ message }: { readonly message: string }): ErrorKind | undefined {
  return /\[(\w+)\]$/.exec(message.trimEnd())?.[1] as ErrorKind | undefined;
}

/** Collects the errors of promises that nothing awaits. They end a program. */
export function collectUnhandledErrors(): unknown[] {
  const event = "unhandledRejection";
  const listeners = process.listeners(event);
  const errors: unknown[] = [];
  process.removeAllListeners(event).on(event, (error) => void errors.push(error));
  onTestFinished(() => {
    process.removeAllListeners(event);
    for (const listener of listeners) {
      process.on(event, listener);
    }
  });
  return errors;
}
