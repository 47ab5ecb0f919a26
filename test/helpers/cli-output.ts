/** A webhook in the state of a stack. */
export interface WebhookInState {
  readonly urn: string;
  readonly name: string;
  /** The id at the service. */
  readonly id: number;
  readonly baseUrl: string;
  readonly secret: string | undefined;
  /** Whether a replacement is done but for the deletion of this webhook. */
  readonly isPendingDeletion: boolean;
  /**
   * Whether the webhook was deleted before its replacement, which a failed command did not create.
   */
  readonly isPendingReplacement: boolean;
}

/** Reads the webhooks from the output of `pulumi stack export --show-secrets`. */
export function webhooksInState(exported: string): WebhookInState[] {
  interface Resource {
    readonly urn: string;
    readonly id: string;
    readonly delete?: boolean;
    readonly pendingReplacement?: boolean;
    readonly outputs: { readonly baseUrl: string; readonly secret?: { plaintext?: string } };
  }
  const { resources = [] } = JSON.parse(exported).deployment as { resources?: Resource[] };
  return resources
    .filter(({ urn }) => isWebhook(urn))
    .map(({ urn, id, outputs, ...resource }) => ({
      urn,
      name: urn.split("::").at(-1) ?? "",
      id: Number(id),
      baseUrl: outputs.baseUrl,
      secret: outputs.secret?.plaintext && JSON.parse(outputs.secret.plaintext),
      isPendingDeletion: resource.delete ?? false,
      isPendingReplacement: resource.pendingReplacement ?? false,
    }));
}

/** An error of a webhook. */
export interface WebhookDiagnostic {
  /** The name of the resource. */
  readonly name: string;
  /** The kind in brackets at the end, which Pulumi's own errors lack. */
  readonly kind: string | undefined;
}

/** Reads the errors of webhooks below "Diagnostics:" in the output of a command. */
export function errorsOf(output: string): WebhookDiagnostic[] {
  const errors: WebhookDiagnostic[] = [];
  let name: string | undefined;
  for (const line of output.slice(output.indexOf("\nDiagnostics:\n")).split("\n")) {
    // "  pulumi-nodejs:dynamic/dbwebhooks:Webhook (hook-1):"
    const [, resource] = /^ {2}\S+ \((.+)\):$/.exec(line) ?? [];
    if (resource !== undefined) {
      name = isWebhook(line) ? resource : undefined;
    } else if (name !== undefined && /^ +error: /.test(line)) {
      errors.push({ name, kind: /\[(\w+)\]$/.exec(line)?.[1] });
    }
  }
  return errors;
}

function isWebhook(text: string): boolean {
  return /dbwebhooks:(index:)?Webhook\b/.test(text);
}
