import process from "node:process";
import type { LocalServiceOptions } from "./options.js";

type Listeners = Required<
  Pick<LocalServiceOptions, "onRequest" | "onEvent" | "onDelivery" | "onError">
>;

/** Wraps the functions of the options so that their errors do not disturb the service. */
export function guardListeners(options: LocalServiceOptions): Listeners {
  const { onError = warn } = options;
  const report = guard(onError, warn);
  return {
    onRequest: guard(options.onRequest, report),
    onEvent: guard(options.onEvent, report),
    onDelivery: guard(options.onDelivery, report),
    onError: report,
  };
}

function guard<Item>(
  listener: ((item: Item) => unknown) | undefined,
  report: (error: Error) => void,
): (item: Item) => void {
  const fail = (error: unknown) =>
    report(error instanceof Error ? error : new Error(String(error)));
  return (item) => {
    try {
      const result = listener?.(item);
      // TypeScript accepts an async function where the type says void.
      if (result instanceof Promise) {
        result.catch(fail);
      }
    } catch (error) {
      fail(error);
    }
  };
}

function warn(error: Error): void {
  process.emitWarning(error);
}
