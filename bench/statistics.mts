/** The median of several measurements, and their range. */
interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Summarizes several measurements of the same duration or size. */
export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length / 2;
  // The middle of an even number of values is two values.
  const [low = Number.NaN, high = low] = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1);
  return { median: (low + high) / 2, min: Math.min(...values), max: Math.max(...values) };
}

/** Rounds a number to three significant digits, or to an integer if it has more digits before the point. */
export function rounded(value: number): number {
  return Number(value.toPrecision(Math.max(3, Math.ceil(Math.log10(Math.abs(value) + 1)))));
}
