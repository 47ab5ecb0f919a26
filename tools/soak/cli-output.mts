/** A webhook in the state of a stack. */
export interface WebhookInState {
  readonly id: string;
  readonly databaseId: string;
  /** Not encrypted; absent after a partial creation. */
  readonly secret?: string;
}

/**
 * Reads the webhooks from the output of `pulumi stack export --show-secrets`, by resource name. A name has
 * several webhooks while the deletion of a replaced one is pending.
 */
export function webhooksInState(exported: string): Record<string, WebhookInState[]> {
  interface Resource {
    readonly urn: string;
    readonly id: string;
    readonly outputs: { readonly databaseId: string; readonly secret?: { plaintext: string } };
  }
  const { resources = [] } = JSON.parse(exported).deployment as { resources?: Resource[] };
  const webhooks: Record<string, WebhookInState[]> = {};
  for (const { urn, id, outputs } of resources) {
    if (!/dbwebhooks:(index:)?Webhook::/.test(urn)) continue;
    const { databaseId, secret } = outputs;
    const plainSecret = secret && { secret: JSON.parse(secret.plaintext) as string };
    const name = urn.split("::").at(-1) ?? "";
    webhooks[name] ??= [];
    webhooks[name].push({ id, databaseId, ...plainSecret });
  }
  return webhooks;
}

/** Reads the errors of webhooks below "Diagnostics:" in the output of a command, by resource name. */
export function errorsOfWebhooks(output: string): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  const diagnostics = output.split("\nDiagnostics:\n")[1] ?? "";
  let name: string | undefined;
  for (const line of diagnostics.split("\n")) {
    // "  pulumi-nodejs:dynamic/dbwebhooks:Webhook (hook-1):"
    const [, resource] = /^ {2}\S+ \((.+)\):$/.exec(line) ?? [];
    if (resource !== undefined) {
      name = /dbwebhooks:(index:)?Webhook/.test(line) ? resource : undefined;
    } else if (name !== undefined) {
      // "    error: MESSAGE", or after a partial creation "    error: 1 error occurred:" and "    \t* MESSAGE"
      const message = /^ +(?:error: |\t\* )(.+)$/.exec(line)?.[1];
      if (message !== undefined && !/^\d+ errors? occurred:$/.test(message)) {
        errors[name] ??= [];
        errors[name]?.push(message);
      }
    }
  }
  return errors;
}
