import type { LocalService, ServiceRequest } from "pulumi-dbwebhooks/local-service";

/** A request, with the status of its response once there is one; 0 is a connection reset. */
export type RecordedRequest = ServiceRequest & { statusCode?: number };

/**
 * Records the requests of a service until `stop` is called. Interceptors that are added later can
 * keep requests from the recorder.
 */
export function recordRequests(service: Pick<LocalService, "use">) {
  const requests: RecordedRequest[] = [];
  const stop = service.use(async (request, next) => {
    const recorded: RecordedRequest = { ...request };
    requests.push(recorded);
    const response = await next();
    recorded.statusCode = response.status;
    return response;
  });
  return { requests, stop };
}

export function methodsOf(requests: readonly ServiceRequest[]): string[] {
  return requests.map(({ method }) => method);
}
