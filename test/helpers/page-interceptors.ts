import type { LocalService } from "pulumi-dbwebhooks/local-service";

// The interceptors of docs/local-service.md. A test holds that the page shows them as they stand
// here, where tsc checks them.

/** Returns the requests that are recorded. */
export function record(service: LocalService): string[] {
  const requests: string[] = [];
  service.use((request, next) => {
    requests.push(`${request.method} ${request.path}`);
    return next();
  });
  return requests;
}

/** Loses the secrets of webhooks. */
export function loseSecret(service: LocalService): void {
  service.use(async (request, next) => {
    const response = await next();
    if (request.method !== "POST") {
      return response;
    }
    const { secret, ...rest } = (await response.json()) as Record<string, unknown>;
    return Response.json(rest, response);
  });
}
