import type { LocalService, ReceivedRequest } from "pulumi-dbwebhooks/local-service";
import type { WalkCommand } from "./random-command.ts";

/** Returns the arguments of a command, with names in place of URNs. */
export function wordsOf({ args, isInterrupted }: WalkCommand): string {
  const words = args.map((arg) => arg.split("::").at(-1)).join(" ");
  return isInterrupted ? `interrupted ${words}` : words;
}

/** Returns the requests that change something. */
export function changingRequestsOf(services: readonly LocalService[]): readonly ReceivedRequest[] {
  return services.flatMap((service) => service.requests).filter(({ method }) => method !== "GET");
}

export function wordsOfRequests(services: readonly LocalService[]): string {
  const words = services.flatMap((service, index) =>
    changingRequestsOf([service]).map(({ method, webhookId = "", statusCode = "no response" }) => {
      const place = index === 0 ? "" : " at the second service";
      return `${method} ${webhookId} ${statusCode}${place}`.replace("  ", " ");
    }),
  );
  return words.join(", ") || "no requests";
}
