import { type Properties, withWrappedSecret } from "./rules/values.js";
import { localOperation } from "./run/operation.js";

/** Keeps the old outputs: every difference replaces the webhook, so there is nothing to update. */
export const updateOperation = localOperation<
  { readonly olds: Properties },
  { outs: Record<string, unknown> }
>({
  name: () => "Update webhook",
  sensitive: ({ olds }) => ({ properties: olds }),
  run: (_context, { olds }) => ({ outs: withWrappedSecret(olds) }),
});
