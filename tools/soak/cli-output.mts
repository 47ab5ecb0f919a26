/** A webhook as `pulumi stack export --show-secrets` shows it. */
export interface WebhookInState {
  readonly id: string;
  readonly databaseId: string;
  /** In clear text; absent after a partial creation. */
  readonly secret?: string;
  /** Replaced in a run that ended before its deletion. */
  readonly isPendingDeletion: boolean;
}

/** The webhooks of an exported state by resource name; several where a replacement is not over. */
export function webhooksInState(exported: string): Record<string, WebhookInState[]> {
  interface Resource {
    readonly urn: string;
    readonly id: string;
    readonly delete?: boolean;
    readonly outputs: { readonly databaseId: string; readonly secret?: { plaintext: string } };
  }
  const { resources = [] } = JSON.parse(exported).deployment as { resources?: Resource[] };
  const webhooks: Record<string, WebhookInState[]> = {};
  for (const { urn, id, outputs, delete: isPendingDeletion = false } of resources) {
    if (!isWebhook(urn)) continue;
    const { databaseId, secret } = outputs;
    const inClear = secret && { secret: JSON.parse(secret.plaintext) as string };
    const name = urn.split("::").at(-1) ?? "";
    webhooks[name] ??= [];
    webhooks[name].push({ id, databaseId, isPendingDeletion, ...inClear });
  }
  return webhooks;
}

function isWebhook(urn: string): boolean {
  return /dbwebhooks:(index:)?Webhook::/.test(urn);
}

/** Errors below "Diagnostics:" by resource name. */
export function errorsOfWebhooks(output: string): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  let name: string | undefined;
  for (const line of diagnosticsOf(output)) {
    const [, resource] = /^ {2}\S+ \((.+)\):$/.exec(line) ?? [];
    if (resource !== undefined) {
      name = /dbwebhooks:(index:)?Webhook/.test(line) ? resource : undefined;
    } else if (name !== undefined) {
      // A partial creation comes as a list of its reasons.
      const text = /^ +(?:error: |\t\* )(.+)$/.exec(line)?.[1];
      if (text !== undefined && !/^\d+ errors? occurred:$/.test(text)) {
        errors[name] ??= [];
        errors[name]?.push(text);
      }
    }
  }
  return errors;
}

function diagnosticsOf(output: string): string[] {
  return (output.split("\nDiagnostics:\n")[1] ?? "").split("\n");
}
