// A body in memory is larger than it was on its way, but not by orders of magnitude.
const maxBytes = 32 * 1024 * 1024;

/** The newest items, limited in number and in bytes. The oldest go first. */
export class Newest<Item extends object> {
  readonly #maxItems: number;
  readonly #bytesOf = new Map<Item, number>();
  #bytes = 0;

  constructor(maxItems: number) {
    this.#maxItems = maxItems;
  }

  get items(): Item[] {
    return [...this.#bytesOf.keys()];
  }

  add(item: Item, bytes: number): void {
    this.#bytesOf.set(item, 0);
    this.grow(item, bytes);
  }

  /** Counts further bytes of an item. One that has gone does not come back. */
  grow(item: Item, bytes: number): void {
    const before = this.#bytesOf.get(item);
    if (before === undefined) {
      return;
    }
    this.#bytesOf.set(item, before + bytes);
    this.#bytes += bytes;
    for (const [oldest, size] of this.#bytesOf) {
      if (this.#bytesOf.size <= this.#maxItems && this.#bytes <= maxBytes) {
        return;
      }
      this.#bytesOf.delete(oldest);
      this.#bytes -= size;
    }
  }

  clear(): void {
    this.#bytesOf.clear();
    this.#bytes = 0;
  }
}
