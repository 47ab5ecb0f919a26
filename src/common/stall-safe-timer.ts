// The longest last part of a timeout.
const longestLastPartMs = 1_000;

/**
 * Calls `onTimeout` after a time. Returns a function that prevents it.
 *
 * The last second begins only once the process has handled everything before it. When a process has
 * stood still (all dynamic resources of a program share one, and a laptop sleeps), Node.js runs
 * expired timers before it reads sockets, so a single timer would fire although the response has
 * arrived. In the last second the process can stand still too, so `onTimeout` also waits until
 * sockets have been read once.
 */
export function startTimeout(ms: number, onTimeout: () => void): () => void {
  const lastPartMs = Math.min(ms / 2, longestLastPartMs);
  let immediate: NodeJS.Immediate | undefined;
  let timer = setTimeout(() => {
    timer = setTimeout(() => {
      immediate = setImmediate(onTimeout);
    }, lastPartMs);
  }, ms - lastPartMs);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}
