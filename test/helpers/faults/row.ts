import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { FaultRule, LocalService, LocalServiceOptions } from "pulumi-dbwebhooks/local-service";
import type { ErrorKind } from "../../../src/core/errors.js";

type ErrorKindOfRow = Extract<ErrorKind, "notCreated" | "inDoubt" | "undone" | "partial" | "kept">;

/** Every way in which a row can end: with an error of a kind, or without one. */
export type Outcome = ErrorKindOfRow | "created" | "deleted" | "already gone";

interface OutcomeFacts {
  /** For the page. */
  readonly meaning: string;
  /** Whether the operation fails. */
  readonly isError: boolean;
}

/** What each of them means. */
export const outcomes: Readonly<Record<Outcome, OutcomeFacts>> = {
  created: {
    meaning: "The webhook is at the service and, with its secret, in the state.",
    isError: false,
  },
  notCreated: {
    meaning: "An error. It says that the service has created no webhook.",
    isError: true,
  },
  inDoubt: {
    meaning:
      "An error. The service may have created a webhook whose secret is lost: the error names the database and what to look for there.",
    isError: true,
  },
  undone: {
    meaning: "An error. The webhook came without a secret and was deleted again.",
    isError: true,
  },
  partial: {
    meaning:
      "An error. The webhook came without a secret and could not be deleted. It is in the state without a secret; the next `pulumi up` replaces it.",
    isError: true,
  },
  deleted: {
    meaning: "The webhook is neither at the service nor in the state.",
    isError: false,
  },
  "already gone": {
    meaning: "As deleted. A line of output says that the service did not have the webhook.",
    isError: false,
  },
  kept: {
    meaning:
      "An error. The service has not confirmed the deletion, so the webhook stays in the state.",
    isError: true,
  },
};

/** What a fault leads to. */
export interface RowOutcome {
  readonly outcome: Outcome;
  readonly posts: number;
  readonly gets: number;
  readonly deletes: number;
  /** What the service holds afterwards. */
  readonly service: "nothing" | "the webhook";
  /** What the state holds afterwards. */
  readonly state: "nothing" | "the webhook" | "the webhook, no secret";
  /** A further part of the error, where it has to name something. */
  readonly names?: string;
  /** Whether the error has to name the id of what the service holds. */
  readonly isIdNamed?: boolean;
}

/** One thing that goes wrong with one webhook. */
export interface FaultRow extends RowOutcome {
  /** Its resource and its database; unique in its table. */
  readonly name: string;
  /** What the service does, for the page. */
  readonly does: string;
  /** What arrives at the client, for the page. */
  readonly sees: string;
  readonly on: "POST" | "DELETE";
  readonly fault: FaultRule["fault"];
  /** Requests that meet the fault. Default: all. */
  readonly times?: number | undefined;
  /** Further rules for the row. */
  readonly more?: readonly FaultRule[];
  /** Whether somebody else removes the webhook first. */
  readonly isRemovedBefore?: boolean;
  /** Settings under which the fault is met. Rows that share them share a process. */
  readonly environment?: (service: LocalService) => Promise<Readonly<Record<string, string>>>;
}

/** The options of the service of all rows: it lists to those who ask. */
export const rowService: LocalServiceOptions = { listing: true };

/** The settings of all rows. */
export const rowSettings = {
  "dbwebhooks:timeoutSeconds": "5",
  "dbwebhooks:retrySeconds": "15",
  "dbwebhooks:maxConcurrentRequests": "64",
};

const shortly = { DBWEBHOOKS_RETRY_SECONDS: "1" };

const unreachable = { DBWEBHOOKS_BASE_URL: "http://127.0.0.1:1", ...shortly };

const silentTls = async () => ({
  DBWEBHOOKS_BASE_URL: `https://127.0.0.1:${await silentPort()}`,
  ...shortly,
});

const silentProxy = async () => ({
  DBWEBHOOKS_BASE_URL: "https://tables.example.com",
  HTTPS_PROXY: `http://127.0.0.1:${await silentPort()}`,
  ...shortly,
});

/** Settings that are a fault themselves. */
export const otherwise = {
  unreachable: async () => unreachable,
  silentTls,
  silentProxy,
  noTls: async ({ baseUrl }: LocalService) => ({
    DBWEBHOOKS_BASE_URL: baseUrl.replace("http:", "https:"),
    ...shortly,
  }),
  noRetries: async () => ({ DBWEBHOOKS_RETRY_SECONDS: "0" }),
  listing: async () => ({ DBWEBHOOKS_LISTING: "true" }),
  other: async ({ baseUrl }: LocalService) => ({
    ...unreachable,
    DBWEBHOOKS_OTHER_BASE_URLS: baseUrl,
  }),
  movedToSilentTls: async ({ baseUrl }: LocalService) => ({
    ...(await silentTls()),
    DBWEBHOOKS_FORMER_BASE_URLS: baseUrl,
  }),
  movedBehindSilentProxy: async ({ baseUrl }: LocalService) => ({
    ...(await silentProxy()),
    DBWEBHOOKS_FORMER_BASE_URLS: baseUrl,
  }),
};

let silent: Promise<number> | undefined;

/** A port of loopback that accepts connections, and never says a word. */
function silentPort(): Promise<number> {
  silent ??= (async () => {
    const server = createServer().listen(0, "127.0.0.1").unref();
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  })();
  return silent;
}
