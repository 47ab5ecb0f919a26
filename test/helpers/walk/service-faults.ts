import type { Interceptor, LocalService } from "pulumi-dbwebhooks/local-service";
import {
  handleThen,
  isDelete,
  isPost,
  loseResponse,
  respondWith,
  times,
  withFields,
} from "../faults/faults.mts";
import { type Choose, oneOf } from "./random.ts";

const always = Number.POSITIVE_INFINITY;
const respond = (statusCode: number, code = "SOME_CODE") =>
  respondWith(statusCode, {
    // Only a rate limit is a reason to wait.
    headers: statusCode === 429 ? { "retry-after": "0" } : {},
    body: { error: { code, message: "Something went wrong." } },
  });

type Faults = Readonly<Record<string, () => Interceptor>>;

/** Make the faults of creations, by name. */
const creationFaults: Faults = {
  "creation refused": () => times(1, respond(403), isPost),
  "creation fails": () => times(1, respond(500), isPost),
  "creation done, but 502": () => times(1, handleThen(respond(502)), isPost),
  "response to a creation lost": () => times(1, loseResponse, isPost),
  "creation stopped by a firewall": () => times(1, respondWith(202), isPost),
  "creation without a secret": () => times(1, withFields({ secret: undefined }), isPost),
  "creation with an unusable secret": () => times(1, withFields({ secret: "\n" }), isPost),
};

/**
 * Make the faults by name. Some last for more requests than the provider sends, so that an
 * operation fails.
 */
const faults: Faults = {
  ...creationFaults,
  "rate limit": () => times(2, respond(429)),
  "deletion refused": () => times(1, respond(403), isDelete),
  "deletion fails once": () => times(1, respond(500), isDelete),
  "deletions fail": () => times(always, respond(500), isDelete),
  "deletions stopped by a firewall": () => times(always, respondWith(202), isDelete),
  "response to a deletion lost": () => times(1, loseResponse, isDelete),
  "responses to deletions lost": () => times(always, loseResponse, isDelete),
  "deletions not found": () => times(always, respond(404, "NOT_FOUND"), isDelete),
  "no access": () => respond(404, "NOT_FOUND"),
  unauthorized: () => respond(401),
};

/** A fault that happens until `remove` is called. */
export interface InjectedFault {
  readonly name: string;
  readonly remove: () => void;
}

/** Lets a random fault, of all requests or of creations only, happen at each service. */
export function injectRandomFault(
  choose: Choose,
  services: readonly LocalService[],
  isOfCreationsOnly: boolean,
): InjectedFault {
  const entries = Object.entries(isOfCreationsOnly ? creationFaults : faults);
  const [name, makeFault] = oneOf(choose, entries);
  return inject(name, services, makeFault);
}

/** Lets the services keep one webhook per url: they return the existing one. */
export function keepOneWebhookPerUrl(services: readonly LocalService[]): InjectedFault {
  return inject("one webhook per url", services, (service) => (request, next) => {
    const existing = service.webhooks.findLast(
      ({ databaseId, url }) => databaseId === request.databaseId && url === request.body?.url,
    );
    if (existing === undefined) {
      return next();
    }
    const { id, secret } = existing;
    return Response.json({ id, secret });
  });
}

function inject(
  name: string,
  services: readonly LocalService[],
  makeFault: (service: LocalService) => Interceptor,
): InjectedFault {
  const removals = services.map((service) => service.use(makeFault(service)));
  return { name, remove: () => removals.forEach((remove) => void remove()) };
}
