import type { WebhookList } from "../api/client.js";

type RequestList = () => Promise<WebhookList>;

/** The lists that several operations of one command share, by database. */
export class SharedLists {
  readonly #ofRefresh = new Map<string, Promise<WebhookList>>();
  readonly #requested = new Map<string, Promise<unknown>>();
  readonly #waiting = new Map<string, Promise<WebhookList>>();

  /** A refresh asks for every webhook separately, before anything changes, so one list serves all of them. */
  forRefresh(databaseId: string, request: RequestList): Promise<WebhookList> {
    const list = this.#ofRefresh.get(databaseId) ?? request();
    this.#ofRefresh.set(databaseId, list);
    return list;
  }

  /** Returns a list that is requested after this call. Calls that wait for the same request share it. */
  afterNow(databaseId: string, request: RequestList): Promise<WebhookList> {
    const requestNext = () => {
      this.#waiting.delete(databaseId);
      const list = request();
      this.#requested.set(databaseId, list);
      return list;
    };
    const before = this.#requested.get(databaseId) ?? Promise.resolve();
    const list = this.#waiting.get(databaseId) ?? before.then(requestNext, requestNext);
    this.#waiting.set(databaseId, list);
    return list;
  }
}
