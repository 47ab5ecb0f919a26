import type { Fault, FaultRule, LocalService } from "pulumi-dbwebhooks/local-service";
import { type Choose, oneOf } from "./random.ts";

const errorBody = { error: { code: "SOME_CODE", message: "Something went wrong." } };
const respond = (statusCode: number, rest: object = {}): Fault => {
  return { kind: "respond", statusCode, body: errorBody, ...rest };
};

/** The faults by name. Some last for more requests than the provider sends, so that an operation fails. */
const faults: Readonly<Record<string, FaultRule>> = {
  "creation refused": { on: "POST", fault: respond(403), times: 1 },
  "creation fails": { on: "POST", fault: respond(500), times: 1 },
  "creation done, but 502": { on: "POST", fault: respond(502, { commit: true }), times: 1 },
  "response to a creation lost": { on: "POST", fault: { kind: "resetAfterCommit" }, times: 1 },
  "creation without a secret": {
    on: "POST",
    fault: { kind: "respond", body: (_request, { secret: _, ...body }) => body },
    times: 1,
  },
  "rate limit": { fault: respond(429, { headers: { "retry-after": "0" } }), times: 2 },
  "deletion refused": { on: "DELETE", fault: respond(403), times: 1 },
  "deletion fails once": { on: "DELETE", fault: respond(500), times: 1 },
  "deletions fail": { on: "DELETE", fault: respond(500) },
  "response to a deletion lost": { on: "DELETE", fault: { kind: "resetAfterCommit" }, times: 1 },
  "responses to deletions lost": { on: "DELETE", fault: { kind: "resetAfterCommit" } },
  unauthorized: { fault: respond(401) },
};

/** Lets a random fault, of all requests or of creations only, happen until `remove` is called. */
export function injectRandomFault(
  choose: Choose,
  services: readonly LocalService[],
  isOfCreationsOnly: boolean,
) {
  const names = Object.keys(faults);
  const ofCreations = names.filter((name) => faults[name]?.on === "POST");
  const name = oneOf(choose, isOfCreationsOnly ? ofCreations : names);
  const injected = services.map((service) => service.inject(faults[name] as FaultRule));
  const remove = () => {
    for (const fault of injected) fault.remove();
  };
  return { name, remove };
}

/** Holds back the responses to creations; `held` is fulfilled when the first webhook exists. */
export function holdCreations(services: readonly LocalService[]) {
  const fault = { kind: "hold", commit: true } as const;
  const injected = services.map((service) => service.inject({ on: "POST", fault }));
  const held = Promise.any(
    services.map((service) => service.nextRequest({ on: "POST", stage: "committed" })),
  );
  const release = () => {
    for (const hold of injected) hold.remove();
  };
  return { held, release };
}
