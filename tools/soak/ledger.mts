import type { LocalService, ReceivedRequest } from "pulumi-dbwebhooks/local-service";
import { errorsOfWebhooks, type WebhookInState, webhooksInState } from "./cli-output.mts";
import type { Program } from "./edits.mts";

/** Compares the webhooks of the service with those of the state and those that errors have named. */
export class Ledger {
  readonly violations: string[] = [];
  /** The number of errors that said that a webhook may exist, by database and receiver. */
  readonly #mayExist = new Map<string, number>();
  /** Webhooks whose deletion is in doubt according to an error. */
  readonly #undeleted = new Set<string>();
  #posts = 0;
  #commits = 0;

  /** Webhooks that the service holds and the state lacks after the last command. */
  orphans: number[] = [];
  /** Errors that said that a webhook may exist. */
  get warnings(): number {
    return [...this.#mayExist.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Compares both sides after a command, and forgets its requests. */
  balance(
    round: string,
    service: LocalService,
    output: string,
    exported: string,
    program: Program,
  ): void {
    const violate = (text: string) => this.violations.push(`${round}: ${text}`);
    const state = webhooksInState(exported);
    this.#readErrors(output, program, state);
    this.#checkRequests(service, output, violate);

    const stored = Object.values(state).flat();
    const held = new Map(service.webhooks.map((webhook) => [String(webhook.id), webhook]));
    for (const { id, databaseId, secret } of stored) {
      const webhook = held.get(id);
      if (webhook === undefined && !this.#undeleted.has(id)) {
        violate(`webhook ${id} is in the state only, and no error names it`);
      }
      if (webhook !== undefined && secret !== undefined && secret !== webhook.secret) {
        violate(`webhook ${id} of ${databaseId} has another secret in the state`);
      }
    }
    const ids = new Set(stored.map(({ id }) => id));
    const orphans = [...held].filter(([id]) => !ids.has(id)).map(([, webhook]) => webhook);
    for (const [key, webhooks] of Map.groupBy(orphans, keyOf)) {
      const named = this.#mayExist.get(key) ?? 0;
      if (webhooks.length > named) {
        violate(`${webhooks.length} webhooks of ${key} are at the service only; ${named} named`);
      }
    }
    this.orphans = orphans.map(({ id }) => id);
  }

  /** Each error ends with its kind in brackets, and its resource tells the webhook. */
  #readErrors(
    output: string,
    program: Program,
    state: Readonly<Record<string, readonly WebhookInState[]>>,
  ): void {
    for (const [name, errors] of Object.entries(errorsOfWebhooks(output))) {
      const kinds = errors.map((error) => /\[(\w+)\]$/.exec(error)?.[1] ?? "");
      const args = program[name];
      if (args !== undefined) {
        const count = kinds.filter((kind) => kind === "inDoubt").length;
        const key = keyOf(args);
        this.#mayExist.set(key, (this.#mayExist.get(key) ?? 0) + count);
      }
      if (kinds.some((kind) => ["notDeleted", "partial"].includes(kind))) {
        for (const { id } of state[name] ?? []) {
          this.#undeleted.add(id);
        }
      }
    }
  }

  /** A command creates each webhook once, and retries only a creation that was refused temporarily. */
  #checkRequests(service: LocalService, output: string, violate: (text: string) => void): void {
    const posts = service.requests.filter(({ method }) => method === "POST");
    this.#posts += posts.length;
    this.#commits += posts.filter(({ committed }) => committed).length;
    const { counts } = service;
    if (this.#posts !== counts.posts || this.#commits !== counts.created) {
      violate(
        `${this.#posts} POSTs seen, ${this.#commits} committed; the service counts ${counts.posts} and ${counts.created}`,
      );
    }
    const isRefused = ({ committed, statusCode }: ReceivedRequest) =>
      !committed && (statusCode === 429 || statusCode === 503);
    // A request whose body was not read names no webhook, but it counts.
    const sent = posts.filter((post) => !isRefused(post)).length;
    const steps = new Set(output.match(/(?<=^ \+\+? +\S+dbwebhooks:Webhook )\S+(?= creating)/gm));
    if (sent > steps.size) {
      violate(`${sent} POSTs that may have made a webhook, for ${steps.size} creations`);
    }
    const described = posts.filter(({ body }) => body !== undefined);
    const webhookOf = ({ databaseId, body }: ReceivedRequest) =>
      `${databaseId} ${JSON.stringify(body)}`;
    for (const [webhook, attempts] of Map.groupBy(described, webhookOf)) {
      if (!attempts.slice(0, -1).every(isRefused)) {
        violate(`a second POST was sent for ${webhook}`);
      }
    }
    service.clearRequests();
  }
}

function keyOf({ databaseId, url }: { databaseId: string; url: string }): string {
  return `${databaseId} ${new URL(url).origin}`;
}
