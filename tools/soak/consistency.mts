import type { LocalService, ReceivedRequest } from "pulumi-dbwebhooks/local-service";
import { errorsOfWebhooks, type WebhookInState, webhooksInState } from "./cli-output.mts";
import type { Program } from "./edits.mts";

/** A Pulumi command that has ended. */
export interface FinishedCommand {
  /** The name of the command in violations. */
  readonly title: string;
  readonly output: string;
  /** The state after the command, as `pulumi stack export --show-secrets` prints it. */
  readonly exported: string;
  readonly program: Program;
}

/** Checks after every command that service and state hold the same webhooks, apart from those in errors. */
export class ConsistencyChecker {
  readonly violations: string[] = [];
  /** The webhooks that the service holds and the state lacks after the last command. */
  unmanagedIds: number[] = [];
  readonly #service: LocalService;
  /** The number of errors of kind `inDoubt` about a creation, by database and receiver. */
  readonly #inDoubtErrors = new Map<string, number>();
  /** The webhooks whose deletion failed according to an error, also as the undo of a creation. */
  readonly #undeletedIds = new Set<string>();
  #posts = 0;
  #commits = 0;

  constructor(service: LocalService) {
    this.#service = service;
  }

  /** The number of errors so far that said that a webhook may exist without being in the state. */
  get inDoubtErrorCount(): number {
    return [...this.#inDoubtErrors.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Compares service, state and errors, and clears the requests that the service remembers. */
  checkAfter({ title, output, exported, program }: FinishedCommand): void {
    const violate = (text: string) => this.violations.push(`${title}: ${text}`);
    const state = webhooksInState(exported);
    this.#readErrors(output, program, state);
    this.#checkRequests(output, violate);

    const stored = Object.values(state).flat();
    const held = new Map(this.#service.webhooks.map((webhook) => [String(webhook.id), webhook]));
    for (const { id, databaseId, secret } of stored) {
      const webhook = held.get(id);
      if (webhook === undefined && !this.#undeletedIds.has(id)) {
        violate(`webhook ${id} is in the state only, and no error names it`);
      }
      const isPartial = secret === undefined && this.#undeletedIds.has(id);
      if (webhook !== undefined && secret !== webhook.secret && !isPartial) {
        violate(`webhook ${id} of ${databaseId} has another secret or none in the state`);
      }
    }
    const storedIds = new Set(stored.map(({ id }) => id));
    const unmanaged = this.#service.webhooks.filter(({ id }) => !storedIds.has(String(id)));
    for (const [key, webhooks] of Map.groupBy(unmanaged, keyOf)) {
      const errorCount = this.#inDoubtErrors.get(key) ?? 0;
      if (webhooks.length > errorCount) {
        violate(`${webhooks.length} unmanaged webhooks of ${key}; errors name ${errorCount}`);
      }
    }
    this.unmanagedIds = unmanaged.map(({ id }) => id);
  }

  /** Reads the kind of each error, which stands in brackets at its end, such as `[inDoubt]`. */
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
        this.#inDoubtErrors.set(key, (this.#inDoubtErrors.get(key) ?? 0) + count);
      }
      if (kinds.some((kind) => ["notDeleted", "partial"].includes(kind))) {
        for (const { id } of state[name] ?? []) {
          this.#undeletedIds.add(id);
        }
      }
    }
  }

  /** A command creates each webhook once, and retries a creation only after a 429 or 503 without effect. */
  #checkRequests(output: string, violate: (text: string) => void): void {
    const posts = this.#service.requests.filter(({ method }) => method === "POST");
    this.#posts += posts.length;
    this.#commits += posts.filter(({ committed }) => committed).length;
    const { counts } = this.#service;
    if (this.#posts !== counts.posts || this.#commits !== counts.created) {
      violate(
        `${this.#posts} POSTs seen, ${this.#commits} committed; the service counts ${counts.posts} and ${counts.created}`,
      );
    }
    const isRefused = ({ committed, statusCode }: ReceivedRequest) =>
      !committed && (statusCode === 429 || statusCode === 503);
    const sent = posts.filter((post) => !isRefused(post)).length;
    // " +  pulumi-nodejs:dynamic/dbwebhooks:Webhook hook-1 creating", and "++" for a replacement
    const steps = new Set(output.match(/(?<=^ \+\+? +\S+dbwebhooks:Webhook )\S+(?= creating)/gm));
    if (sent > steps.size) {
      violate(`${sent} POSTs that may have created a webhook, for ${steps.size} creations`);
    }
    // Without its body, which the service may not have read, a POST cannot be compared with others.
    const withBody = posts.filter(({ body }) => body !== undefined);
    const webhookOf = ({ databaseId, body }: ReceivedRequest) =>
      `${databaseId} ${JSON.stringify(body)}`;
    for (const [webhook, attempts] of Map.groupBy(withBody, webhookOf)) {
      if (!attempts.slice(0, -1).every(isRefused)) {
        violate(`a second POST was sent for ${webhook}`);
      }
    }
    this.#service.clearRequests();
  }
}

function keyOf({ databaseId, url }: { databaseId: string; url: string }): string {
  return `${databaseId} ${new URL(url).origin}`;
}
