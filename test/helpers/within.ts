/**
 * Waits for a promise, at most this long. The error says what has not happened; a timeout of the
 * test would not.
 */
export async function within<Result>(
  seconds: number,
  promise: Promise<Result>,
  missing: () => string,
): Promise<Result> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new Error(`after ${seconds} s, ${missing()}`));
  const timer = setTimeout(fail, seconds * 1000);
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
