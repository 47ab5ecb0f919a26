import {
  type Interceptor,
  type LocalService,
  loseResponse,
  respondWith,
  times,
} from "pulumi-dbwebhooks/local-service";
import { handleThen, hold, isDelete, isPost, withFields } from "../faults/faults.mts";
import { type Choose, oneOf } from "./random.ts";

const always = Number.POSITIVE_INFINITY;
const errorBody = { error: { code: "SOME_CODE", message: "Something went wrong." } };
const respond = (statusCode: number, headers = {}) =>
  respondWith(statusCode, { headers, body: errorBody });

/** Make the faults of creations, by name. */
const creationFaults: Readonly<Record<string, () => Interceptor>> = {
  "creation refused": () => times(1, respond(403), isPost),
  "creation fails": () => times(1, respond(500), isPost),
  "creation done, but 502": () => times(1, handleThen(respond(502)), isPost),
  "response to a creation lost": () => times(1, loseResponse(), isPost),
  "creation without a secret": () => times(1, withFields({ secret: undefined }), isPost),
};

/** Make the faults by name. Some last for more requests than the provider sends, so that an operation fails. */
const faults: Readonly<Record<string, () => Interceptor>> = {
  ...creationFaults,
  "rate limit": () => times(2, respond(429, { "retry-after": "0" })),
  "deletion refused": () => times(1, respond(403), isDelete),
  "deletion fails once": () => times(1, respond(500), isDelete),
  "deletions fail": () => times(always, respond(500), isDelete),
  "response to a deletion lost": () => times(1, loseResponse(), isDelete),
  "responses to deletions lost": () => times(always, loseResponse(), isDelete),
  unauthorized: () => respond(401),
};

/** Lets a random fault, of all requests or of creations only, happen until `remove` is called. */
export function injectRandomFault(
  choose: Choose,
  services: readonly LocalService[],
  isOfCreationsOnly: boolean,
) {
  const name = oneOf(choose, Object.keys(isOfCreationsOnly ? creationFaults : faults));
  const removals = services.map((service) => service.use((faults[name] as () => Interceptor)()));
  const remove = () => {
    for (const removeFault of removals) removeFault();
  };
  return { name, remove };
}

/** Holds back the responses to creations; `held` is fulfilled when the first webhook exists. */
export function holdCreations(services: readonly LocalService[]) {
  const { holdResponse, release } = hold();
  const removals = services.map((service) => service.use(times(always, holdResponse, isPost)));
  const held = Promise.any(
    services.map((service) => service.nextRequest((one) => isPost(one) && one.committed)),
  );
  return {
    held,
    release: () => {
      for (const removeHold of removals) removeHold();
      release();
    },
  };
}
