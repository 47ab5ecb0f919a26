import PQueue from "p-queue";

/** One queue for each receiver. */
export class ReceiverQueues {
  readonly #maxConcurrent: number;
  readonly #queues = new Map<string, PQueue>();

  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Runs the task when the queue allows. The task must not reject: its error would be lost. */
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

  /** Removes tasks that have not begun. {@link onIdle} waits for the others. */
  clear(): void {
    for (const queue of this.#queues.values()) {
      queue.clear();
    }
  }

  async onIdle(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.onIdle()));
  }
}
