import type { Interceptor, LocalService, ServiceRequest } from "pulumi-dbwebhooks/local-service";

type Match = (request: Pick<ServiceRequest, "method">) => boolean;

export const isPost: Match = ({ method }) => method === "POST";
export const isDelete: Match = ({ method }) => method === "DELETE";

/** Whether a request or a webhook is of this database. */
export function isOf(databaseId: string) {
  return (one: { readonly databaseId?: string | undefined }) => one.databaseId === databaseId;
}

/** Changes a webhook at a service without a request. */
export function changeWebhook(service: LocalService, id: number, changes: object): void {
  service.webhooks = service.webhooks.map((one) => (one.id === id ? { ...one, ...changes } : one));
}

/** A response to a key without access to the database, and to a request for an unknown webhook. */
export const notFound = () =>
  Response.json({ error: { code: "NOT_FOUND", message: "Not found." } }, { status: 404 });

/** Applies an interceptor to the first `count` requests that match. */
export function times(
  count: number,
  interceptor: Interceptor,
  matches: (request: ServiceRequest) => boolean = () => true,
): Interceptor {
  let remaining = count;
  return (request, next) => {
    if (remaining === 0 || !matches(request)) {
      return next();
    }
    remaining -= 1;
    return interceptor(request, next);
  };
}

/** Responds in place of the service. A string is sent as it is, any other body as JSON. */
export function respondWith(
  status: number,
  { headers = {}, body }: { headers?: Record<string, string>; body?: unknown } = {},
): Interceptor {
  const init = { status, headers };
  return () =>
    body === undefined || typeof body === "string"
      ? new Response(body, init)
      : Response.json(body, init);
}

/** Lets the service handle the request, then resets the connection. */
export const loseResponse = handleThen(() => Response.error());

/** Lets the service handle the request, and sends another response than the service's own. */
export function handleThen(interceptor: Interceptor): Interceptor {
  return async (request, next) => {
    await next();
    return interceptor(request, next);
  };
}

/** Changes the text of the response. */
export function changeText(change: (text: string) => string | ReadableStream): Interceptor {
  return async (_, next) => {
    const response = await next();
    return new Response(change(await response.text()), response);
  };
}

/** The response with changed fields; `undefined` removes a field. */
export function withFields(changes: object): Interceptor {
  return changeText((text) => JSON.stringify({ ...JSON.parse(text), ...changes }));
}

/** An error response that repeats the Authorization header, as some proxies do. */
export function echoAuthorization(statusCode = 400): Interceptor {
  return ({ headers }) => {
    const message = `Unexpected header: Authorization: ${headers.authorization}`;
    return Response.json({ error: { code: "BAD_REQUEST", message } }, { status: statusCode });
  };
}

/**
 * An interceptor that waits with requests until `release` is called, which is fulfilled when the
 * service has handled one. `received` is fulfilled when one has arrived.
 */
export function hold() {
  const received = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const handled = Promise.withResolvers<void>();
  const holdRequest: Interceptor = async (_, next) => {
    received.resolve();
    await released.promise;
    return next().finally(handled.resolve);
  };
  const release = () => {
    released.resolve();
    return handled.promise;
  };
  return { holdRequest, received: received.promise, release };
}

/**
 * Holds back the responses to the next creations until `release` is called. `committed` is
 * fulfilled when the first webhook exists.
 */
export function holdCreations(service: Pick<LocalService, "use">, count = 1) {
  const committed = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holdResponse: Interceptor = async (_, next) => {
    const response = await next();
    committed.resolve();
    await released.promise;
    return response;
  };
  service.use(times(count, holdResponse, isPost));
  return { committed: committed.promise, release: () => released.resolve() };
}
