/** Runs a task with each index below `count`, as many at once as told, the next when one ends. */
export async function runAtOnce(
  count: number,
  atOnce: number,
  task: (index: number) => Promise<unknown>,
): Promise<void> {
  const indexes = Array(count).keys();
  const worker = async () => {
    for (const index of indexes) {
      await task(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
