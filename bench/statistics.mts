/** The median of several measurements, and their range. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Summarizes several measurements of the same duration or size. */
export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (at(sorted, Math.ceil(middle) - 1) + at(sorted, Math.floor(middle))) / 2;
  return { median, min: at(sorted, 0), max: at(sorted, -1) };
}

/** Formats a number with at least three significant digits. */
export function rounded(value: number, digits = 3): number {
  return Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(Math.abs(value) + 1)))));
}

function at(values: readonly number[], index: number): number {
  return values.at(index) ?? Number.NaN;
}
