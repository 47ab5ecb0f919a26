// The paths of the API (docs/api/README.md#paths), as routes of Hono.
import { apiPath } from "../common/url-rules.js";

/** The path of the webhooks of a database. */
export const collectionPath = `${apiPath}/bases/:databaseId/webhooks` as const;

/** The path of one webhook. */
export const itemPath = `${collectionPath}/:webhookId` as const;
