import { type ProviderName, providerNames } from "./walk-program.ts";

/** A webhook in the state of a stack. */
export interface WebhookInState {
  readonly urn: string;
  readonly name: string;
  /** The id at the service. */
  readonly id: number;
  readonly baseUrl: string;
  /** Its explicit provider, if it has one. */
  readonly provider: ProviderName | undefined;
  readonly secret: string | undefined;
  /** Whether a replacement is done but for the deletion of this webhook. */
  readonly isPendingDeletion: boolean;
  /** Whether the webhook was deleted before its replacement, which a failed command did not create. */
  readonly isPendingReplacement: boolean;
}

/** Reads the webhooks from the output of `pulumi stack export --show-secrets`. */
export function webhooksInState(exported: string): WebhookInState[] {
  interface Resource {
    readonly urn: string;
    readonly id: string;
    readonly provider: string;
    readonly delete?: boolean;
    readonly pendingReplacement?: boolean;
    readonly outputs: { readonly baseUrl: string; readonly secret?: { plaintext: string } };
  }
  const { resources = [] } = JSON.parse(exported).deployment as { resources?: Resource[] };
  return resources
    .filter(({ urn }) => isWebhook(urn))
    .map((resource) => ({
      urn: resource.urn,
      name: resource.urn.split("::").at(-1) ?? "",
      // The plugin puts the database before the id.
      id: Number(resource.id.split("/").at(-1)),
      baseUrl: resource.outputs.baseUrl,
      // The URN of the provider, and its id.
      provider: providerNames.find((name) => name === resource.provider.split("::").at(-2)),
      secret: resource.outputs.secret && JSON.parse(resource.outputs.secret.plaintext),
      isPendingDeletion: resource.delete ?? false,
      isPendingReplacement: resource.pendingReplacement ?? false,
    }));
}

/** An error or a warning of a webhook. */
export interface Diagnostic {
  /** The name of the resource. */
  readonly name: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  /** The kind in brackets at the end of an error. */
  readonly kind: string | undefined;
}

/** Reads the errors and warnings of webhooks below "Diagnostics:" in the output of a command. */
export function diagnosticsOf(output: string): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  let name: string | undefined;
  for (const line of output.slice(output.indexOf("\nDiagnostics:\n")).split("\n")) {
    // "  pulumi-nodejs:dynamic/dbwebhooks:Webhook (hook-1):"
    const [, resource] = /^ {2}\S+ \((.+)\):$/.exec(line) ?? [];
    if (resource !== undefined) {
      name = isWebhook(line) ? resource : undefined;
      continue;
    }
    const [, severity, message = ""] = /^ +(error|warning): (.+)$/.exec(line) ?? [];
    if (name !== undefined && (severity === "error" || severity === "warning")) {
      diagnostics.push({ name, severity, message, kind: /\[(\w+)\]$/.exec(message)?.[1] });
    }
  }
  return diagnostics;
}

function isWebhook(text: string): boolean {
  return /dbwebhooks:(index:)?Webhook\b/.test(text);
}
