// The texts about ^C, and about other signals that stop Pulumi.
import { sentences } from "./sentences.js";
import { see } from "./troubleshooting.js";

/** Why a request was not sent or not retried. */
export const stoppingText = "Pulumi is stopping";

/** Warns of a stop that may end the process before the secret of a new webhook is stored. */
export const interruptedText = sentences(
  `${stoppingText}. Webhooks whose creation is in flight are deleted if the service responds within 5 seconds.`,
  "Those that were created a moment ago may stay at the service without being in the state.",
  see("After an interruption"),
);

/** Says why the secret of a new webhook could not be stored. */
export function stoppedText(id: string): string {
  return `Pulumi stopped while the service created webhook ${id}`;
}
