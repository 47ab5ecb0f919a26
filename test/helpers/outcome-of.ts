/** How an operation that failed has ended, as its message says. */
export type FailedOutcome = keyof typeof words;

// The words that tell one outcome from the others, most telling first. What else a message says is
// the affair of the unit test that holds it.
const words = {
  kept: "stays in the state",
  "partial creation": "replaces it",
  undone: "deleted again",
  "in doubt": "may exist",
  "not created": "No webhook was created",
  "not sent": "Nothing was sent",
} as const;

/** The outcome that an error names; `undefined` where it names none. */
export function outcomeOf({ message }: { readonly message: string }): FailedOutcome | undefined {
  const outcomes = Object.keys(words) as FailedOutcome[];
  return outcomes.find((outcome) => message.includes(words[outcome]));
}
