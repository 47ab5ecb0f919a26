// The paths of the API (docs/api/README.md#paths) and the context, as the routes of Hono need them.
import { apiPath } from "../common/url-rules.js";

/** The path of the webhooks of a database. */
export const collectionPath = `${apiPath}/bases/:databaseId/webhooks` as const;

/** The path of one webhook. */
export const itemPath = `${collectionPath}/:webhookId` as const;

/** The types of Hono's context in the routes. */
export interface ServiceEnv {
  /** `body` is the parsed JSON body; `undefined` if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a client can send any JSON.
  Bindings: { readonly body: any };
}
