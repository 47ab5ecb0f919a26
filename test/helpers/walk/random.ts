import fc from "fast-check";

/** Makes random choices: `choose(fc.nat, { max: 9 })`. */
export type Choose = fc.GeneratorValue;

/**
 * Returns the choices of one step, which depend on the seed and on what the step chooses, not on
 * earlier steps.
 */
export function choicesOf(seed: number, step: number): Choose {
  // Its bias to small values is for properties, which look for the smallest counterexample.
  const [choose] = fc.sample(fc.noBias(fc.gen()), { seed: seed * 100_003 + step, numRuns: 1 });
  if (choose === undefined) {
    throw new Error("fast-check has generated nothing");
  }
  return choose;
}

/** Returns one of these values, each as often as its weight says. */
export function weighted<Value>(choose: Choose, weights: readonly (readonly [number, Value])[]) {
  const all = weights.flatMap(([weight, value]) => Array<Value>(weight).fill(value));
  return oneOf(choose, all);
}

export function oneOf<Value>(choose: Choose, values: readonly Value[]): Value {
  return choose(() => fc.constantFrom(...values));
}

export function someOf<Value>(choose: Choose, values: readonly Value[]): Value[] {
  return choose(() => fc.subarray([...values]));
}

export function isChosen(choose: Choose, percent: number): boolean {
  return choose(fc.integer, { min: 1, max: 100 }) <= percent;
}
