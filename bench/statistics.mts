/** The middle of several measurements, and how far they spread. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Summarises measurements of one thing. */
export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (at(sorted, Math.ceil(middle) - 1) + at(sorted, Math.floor(middle))) / 2;
  return { median, min: at(sorted, 0), max: at(sorted, -1) };
}

/** A number with three significant digits at least, as people read it. */
export function rounded(value: number, digits = 3): number {
  return Number(value.toPrecision(Math.max(digits, Math.ceil(Math.log10(Math.abs(value) + 1)))));
}

function at(values: readonly number[], index: number): number {
  return values.at(index) ?? Number.NaN;
}
