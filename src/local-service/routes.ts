import { type Context, Hono } from "hono";
import type { Emit, NewEvent } from "./events.js";
import type { LocalServiceOptions } from "./options.js";
import { sendError, sendFailure } from "./responses.js";
import { collectionPath, itemPath, type ServiceEnv } from "./routing.js";
import { handleCreation, handleDeletion, handleList } from "./webhook-handlers.js";
import type { WebhookStore } from "./webhooks.js";

const eventsPath = "/_local/bases/:databaseId/events";

/** The routes of docs/api/README.md, for requests that the service admits. */
export function createRoutes(
  store: WebhookStore,
  emit: Emit,
  { listing = true, allowUnknownEvents = false }: LocalServiceOptions,
): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>();

  // In plain text, because NOT_FOUND in the error body would tell a client that its webhook is
  // gone.
  app.notFound((c) => c.text("There is nothing at this path.", 404));
  app.onError(sendFailure);
  app.get("/", (c) => c.text("The local service of pulumi-dbwebhooks is running.\n"));
  app.post(eventsPath, (c) => emitEvent(c, emit));
  app.post(collectionPath, handleCreation(store, allowUnknownEvents));
  if (listing) {
    app.get(collectionPath, handleList(store));
  }
  app.delete(itemPath, handleDeletion(store));
  app.all(collectionPath, refuseMethod(listing ? "GET, HEAD, POST" : "POST"));
  app.all(itemPath, refuseMethod("DELETE"));
  return app;
}

/**
 * Emits an event, whose body is the event without its database, and responds when every delivery
 * has ended.
 */
async function emitEvent(c: Context<ServiceEnv, typeof eventsPath>, emit: Emit): Promise<Response> {
  const event: NewEvent = { ...c.env.body, databaseId: c.req.param("databaseId") };
  try {
    // The line feed is for people who emit an event with curl in a terminal.
    const body = `${JSON.stringify(await emit(event))}\n`;
    return c.body(body, 200, { "content-type": "application/json" });
  } catch (error) {
    return sendError(c, 400, (error as TypeError).message);
  }
}

function refuseMethod(allow: string) {
  return (c: Context) => sendError(c, 405, `Only ${allow} here.`, { allow });
}
