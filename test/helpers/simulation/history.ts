import type { ErrorKind } from "../../../src/provider/run/errors.ts";
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
  /** What Pulumi stores. */
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
  /** What was wrong at one moment of the play. */
  readonly violations: string[] = [];
  readonly #facts: { at: number; id: string; kind: "known" | "gone" }[] = [];
  #time = 0;

  /** Returns a later time with each call. */
  now(): number {
    this.#time += 1;
    return this.#time;
  }

  /**
   * Records that the provider learns of a webhook, or that it learns that the webhook is gone.
   * Returns the time.
   */
  learn(kind: "known" | "gone", id: string): number {
    const at = this.now();
    this.#facts.push({ at, id, kind });
    return at;
  }

  /** Whether the provider knows this id at a time, and has not learned that its webhook is gone. */
  isKnown(id: string, at: number): boolean {
    return this.#facts.findLast((fact) => fact.id === id && fact.at < at)?.kind === "known";
  }

  /**
   * Lists the creations whose response named this id before the provider had learned anything of
   * it.
   */
  creationsWithNewId(id: string): readonly Creation[] {
    const first = this.#facts.find((fact) => fact.id === id);
    return this.creations.filter(
      ({ named }) => named?.webhook.id === id && named.at <= (first?.at ?? 0),
    );
  }

  /** Whether the provider learns of this id between two times. */
  isLearned(id: string, after: number, before: number): boolean {
    return this.#facts.some(
      ({ at, kind, ...fact }) => kind === "known" && fact.id === id && at > after && at < before,
    );
  }
}
