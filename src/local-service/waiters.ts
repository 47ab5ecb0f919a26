interface Waiter<Stage, Item> {
  readonly stage: Stage;
  readonly isAwaited: (item: Item) => boolean;
  readonly resolve: (item: Item) => void;
  readonly reject: (error: unknown) => void;
}

/** Promises for the moment when a request or a delivery reaches a stage. */
export class Waiters<Stage, Item> {
  readonly #waiters = new Set<Waiter<Stage, Item>>();
  readonly #messageAtClose: string;
  #isClosed = false;

  constructor(messageAtClose: string) {
    this.#messageAtClose = messageAtClose;
  }

  next(stage: Stage, isAwaited: (item: Item) => boolean): Promise<Item> {
    const { promise, resolve, reject } = Promise.withResolvers<Item>();
    if (this.#isClosed) {
      reject(new Error(this.#messageAtClose));
    } else {
      this.#waiters.add({ stage, isAwaited, resolve, reject });
    }
    // Unobserved rejections end the process, and a test may no longer look at this promise.
    promise.catch(() => {});
    return promise;
  }

  tell(stage: Stage, item: Item): void {
    for (const waiter of this.#waiters) {
      if (waiter.stage === stage) {
        this.#tellOne(waiter, item);
      }
    }
  }

  /** Rejects every promise that is still open, and each that is asked for from now on. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiters) {
      reject(new Error(this.#messageAtClose));
    }
    this.#waiters.clear();
  }

  #tellOne(waiter: Waiter<Stage, Item>, item: Item): void {
    try {
      if (!waiter.isAwaited(item)) {
        return;
      }
      waiter.resolve(item);
    } catch (error) {
      waiter.reject(error);
    }
    this.#waiters.delete(waiter);
  }
}
