import type { ErrorKind } from "../../../src/provider/command/errors.ts";
import type { Fault } from "./plays.ts";
import type { Resource } from "./resources.ts";
import type { ServiceWebhook } from "./service.ts";

/** A creation, and how it ended. */
export interface Creation {
  readonly resource: Resource;
  readonly beganAt: number;
  /** The webhook that the response named. */
  named?: {
    readonly webhook: ServiceWebhook;
    readonly fault: Fault;
    readonly at: number;
    readonly engineIsGone: boolean;
  };
  /** The id and the secret that Pulumi stores. */
  stored?: { readonly id: string; readonly secret: string };
  error?: OperationError;
  endedAt?: number;
}

/** The deletion of a webhook in the state. */
export interface Deletion {
  readonly resource: Resource;
  readonly webhook: ServiceWebhook;
  readonly beganAt: number;
  /** Whether Pulumi deletes another entry of the state with the same webhook. */
  readonly isDuplicate: boolean;
  /** Whether the service denied the access to the webhook, which looks as if it were absent. */
  wasDenied?: boolean;
  error?: OperationError;
  endedAt?: number;
}

interface OperationError {
  readonly kind: ErrorKind | undefined;
  readonly message: string;
}

/** Everything that happened in a play. Each time is a position in the order of all events. */
export class History {
  readonly creations: Creation[] = [];
  readonly deletions: Deletion[] = [];
  readonly imports: ServiceWebhook[] = [];
  /** The requests for deletions, undos included. */
  readonly sentDeletions: { at: number; id: string; succeeded: boolean }[] = [];
  readonly lines: string[] = [];
  /** The contradictions at single moments of the play. */
  readonly violations: string[] = [];
  readonly #met: { at: number; id: string }[] = [];
  #time = 0;

  /** Returns a later time with each call. */
  now(): number {
    this.#time += 1;
    return this.#time;
  }

  /** Records that the provider meets the id of a webhook. Returns the time. */
  meet(id: string): number {
    const at = this.now();
    this.#met.push({ at, id });
    return at;
  }

  /** Whether the provider has met an id before this time. */
  hasMet(id: string, before: number): boolean {
    return this.#met.some((one) => one.id === id && one.at < before);
  }

  /**
   * Lists the creations whose response named this id before the provider had learned anything of
   * it.
   */
  creationsWithNewId(id: string): readonly Creation[] {
    const first = this.#met.find((one) => one.id === id);
    return this.creations.filter(
      ({ named }) => named?.webhook.id === id && named.at <= (first?.at ?? 0),
    );
  }
}
