import PQueue from "p-queue";

/** One queue for each receiver, so that none waits for another. */
export class ReceiverQueues {
  readonly #maxConcurrent: number;
  readonly #queues = new Map<string, PQueue>();

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Runs the task when it is its turn. It must not throw: nobody would hear of it. */
  add(receiver: string, task: () => Promise<void>): void {
    const queue = this.#queues.get(receiver) ?? new PQueue({ concurrency: this.#maxConcurrent });
    this.#queues.set(receiver, queue);
    void queue.add(async () => {
      await task();
      if (queue.size === 0 && queue.pending === 1) {
        this.#queues.delete(receiver);
      }
    });
  }

  /** Forgets what has not begun; what has, is to be awaited by {@link onIdle}. */
  clear(): void {
    for (const queue of this.#queues.values()) {
      queue.clear();
    }
  }

  async onIdle(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.onIdle()));
  }
}
