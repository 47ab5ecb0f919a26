import { once as nextEvent } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Fault, FaultRule, LocalService } from "pulumi-dbwebhooks/local-service";
import type { ErrorKind } from "../../../src/provider/errors.js";
import {
  asHtml,
  echoAuthorization,
  hugeBody,
  idAsString,
  truncatedJson,
  withFields,
} from "./faults.mjs";

/** Every way in which a row can end: with an error of a kind, or without one. */
export type Outcome =
  | Extract<ErrorKind, "notCreated" | "inDoubt" | "undone" | "partial" | "notDeleted">
  | "created"
  | "deleted"
  | "already gone";

/** What each of them means, for the page. */
export const outcomes: Readonly<Record<Outcome, string>> = {
  created: "The webhook is at the service and, with its secret, in the state.",
  notCreated: "An error. It says that the service has created no webhook.",
  inDoubt:
    "An error. The service may have created a webhook whose secret is lost: the error names the database and what to look for there.",
  undone: "An error. The webhook came without a secret and was deleted again.",
  partial:
    "An error. The webhook came without a secret and could not be deleted. It is in the state without a secret; the next `pulumi up` replaces it.",
  deleted: "The webhook is neither at the service nor in the state.",
  "already gone": "As deleted. A line of output says that the service did not have the webhook.",
  notDeleted:
    "An error. The service has not confirmed the deletion, so the webhook stays in the state.",
};

/** What a fault leads to. */
interface End {
  readonly outcome: Outcome;
  readonly posts: number;
  readonly gets: number;
  readonly deletes: number;
  /** What the service holds afterwards. */
  readonly service: "nothing" | "the webhook";
  /** What the state holds afterwards. */
  readonly state: "nothing" | "the webhook" | "the webhook, no secret";
}

/** What only some of the rows have. */
interface More {
  /** A further part of the error, where it has to name something. */
  readonly names?: string;
  /** Whether the error has to name the id of what the service holds. */
  readonly isIdNamed?: boolean;
  /** Requests that meet the fault. Default: all. */
  readonly times?: number;
  /** Further rules. */
  readonly rules?: readonly FaultRule[];
  /** Whether somebody else removes the webhook first. */
  readonly isRemovedBefore?: boolean;
  /** Settings under which the fault is met. Rows that share them share a process. */
  readonly environment?: (service: LocalService) => Promise<Readonly<Record<string, string>>>;
}

/** One thing that goes wrong with the creation or the deletion of one webhook. */
export interface FaultRow extends End, More {
  /** Its resource and its database. */
  readonly name: string;
  readonly on: "POST" | "DELETE";
  /** What the service does, for the page. */
  readonly does: string;
  /** What arrives at the client, for the page. */
  readonly sees: string;
  readonly fault: FaultRule["fault"];
}

type Row = readonly [does: string, sees: string, fault: FaultRow["fault"], end: End, more?: More];

/** The settings of all rows. */
export const rowSettings = {
  "dbwebhooks:timeoutSeconds": "30",
  "dbwebhooks:retrySeconds": "15",
  "dbwebhooks:maxConcurrentRequests": "64",
};

const unreachable = async () => ({
  DBWEBHOOKS_BASE_URL: "http://127.0.0.1:1",
  DBWEBHOOKS_RETRY_SECONDS: "1",
});
const noTls = async ({ baseUrl }: LocalService) => ({
  DBWEBHOOKS_BASE_URL: baseUrl.replace("http:", "https:"),
  DBWEBHOOKS_RETRY_SECONDS: "1",
});
const silentProxy = async ({ baseUrl }: LocalService) => {
  const proxy = createServer().listen(0, "127.0.0.1").unref();
  await nextEvent(proxy, "listening");
  return {
    DBWEBHOOKS_BASE_URL: "https://tables.example.com",
    DBWEBHOOKS_FORMER_BASE_URLS: baseUrl,
    DBWEBHOOKS_TIMEOUT_SECONDS: "1",
    DBWEBHOOKS_RETRY_SECONDS: "1",
    HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  };
};
const impatient = async () => ({ DBWEBHOOKS_TIMEOUT_SECONDS: "5" });
const listing = async () => ({ DBWEBHOOKS_LISTING: "true" });
const onlyOnce = async () => ({ ...(await impatient()), DBWEBHOOKS_RETRY_SECONDS: "0" });
const silent: More = { environment: impatient };
const silentOnce: More = { environment: impatient, times: 1 };
const behindProxy: More = { environment: silentProxy };
const listed: More = { environment: listing };
const listedNamed: More = { ...listed, isIdNamed: true };
const moved: More = { environment: noTls, names: "formerBaseUrls" };
const removed = { isRemovedBefore: true };
const redacted: More = { names: "[withheld:" };
const noRetries: More = { environment: onlyOnce, names: "retrySeconds" };

function end(outcome: Outcome, changes: Partial<End>): End {
  const nothing = { posts: 0, gets: 0, deletes: 0, service: "nothing", state: "nothing" } as const;
  return { ...nothing, ...changes, outcome };
}

const held = { service: "the webhook" } as const;
const created = end("created", { ...held, posts: 1, state: "the webhook" });
const retried = { ...created, posts: 2 };
const notCreated = end("notCreated", { posts: 1 });
const notSent = { ...notCreated, posts: 0 };
const inDoubt = end("inDoubt", { posts: 1 });
const inDoubtHeld = { ...inDoubt, ...held };
const unlisted = { ...inDoubt, gets: 1 };
const listedHeld = { ...unlisted, ...held };
const undone = end("undone", { posts: 1, deletes: 1 });
const partial = end("partial", { ...undone, ...held, state: "the webhook, no secret" });
const deleted = end("deleted", { deletes: 1 });
const alreadyGone = end("already gone", deleted);
const again = { ...deleted, deletes: 2 };
const kept = end("notDeleted", { ...held, deletes: 1, state: "the webhook" });
const keptUnsent = { ...kept, deletes: 0 };
const keptGone: End = { ...kept, service: "nothing" };

const page = "<!doctype html><title>Sign in</title>";
const envelope = { error: { code: "SOME_CODE", message: "The service's own words." } };
const notFound = { error: { code: "NOT_FOUND", message: "Webhook not found" } };
const elsewhere = "https://elsewhere.example";
const noSecret: Fault = withFields({ secret: undefined });

function respond(statusCode: number, body?: string | object, headers = {}): Fault {
  return { kind: "respond", statusCode, headers, ...(body !== undefined && { body }) };
}

const committed = (fault: object) => ({ ...fault, commit: true }) as Fault;
const silence: Fault = { kind: "neverAnswer" };
const hold: Fault = { kind: "hold" };
const unread: Fault = { kind: "resetBeforeReading" };
const reset: Fault = { kind: "resetAfterCommit" };
const half: Fault = { kind: "resetMidBody" };
const answersPage = respond(200, page, { "content-type": "text/html" });
const redirect = respond(301, undefined, { location: `${elsewhere}/api` });
const refused = (code: number, body: object): More => ({
  rules: [{ on: "DELETE", fault: respond(code, body) }],
  names: `${code}`,
});
const throttle = respond(429, envelope, { "retry-after": "1" });
const proxy503 = respond(503, page, { "retry-after": "1" });
const failing = respond(200, { success: false });

/** An answer before anything takes effect, each time; the error has to name the status. */
function status(
  code: number,
  result: End,
  body: string | object = envelope,
  sees = `${code}`,
): Row {
  return [`answers ${code}`, sees, respond(code, body), result, { names: ` ${code}` }];
}

/** The same, the first time only, with a `Retry-After`. */
function once(code: number, result: End, header = "", value?: string): Row {
  const sees = header === "" ? `${code}` : `${code}, ${header} \`Retry-After\``;
  const fault = respond(code, envelope, value && { "retry-after": value });
  const isError = result.outcome === "notCreated" || result.outcome === "notDeleted";
  const names = isError ? "retrySeconds" : "";
  return [`answers ${sees}, once`, sees, fault, result, { times: 1, names }];
}

const broken = "a broken connection";
const unconnected = "no connection";
const late = "no answer in time";
const missing = "404 `NOT_FOUND`";
const tooLong = "for longer than `dbwebhooks:retrySeconds`";
const gone = "then 404 `NOT_FOUND`";
const firstTime = { times: 1 };
const second = ["a second in", "1"] as const;
const date = ["a date in", new Date().toUTCString()] as const;
const year = ["a year in", String(365 * 86_400)] as const;

/** An answer that is not as the interface shows it, once the request has taken effect. */
function odd(sees: string, fault: FaultRow["fault"], result: End, more: More = {}): Row {
  const does = result.posts > 0 ? "stores" : "removes";
  return [`${does}, then answers oddly`, sees, fault, result, more];
}

/** Everything that goes wrong with the creation of a webhook in one `pulumi up`. */
const creations: readonly Row[] = [
  ["answers late, within the limit", "201", { kind: "delay", ms: 300 }, created],
  ["never answers, stores nothing", late, silence, inDoubt, silent],
  ["stores, then never answers", late, committed(silence), inDoubtHeld, silent],
  ["stores after the client has given up", late, hold, inDoubtHeld, silent],
  ["resets the connection before it reads", broken, unread, inDoubt],
  ["stores, then resets the connection", broken, reset, inDoubtHeld],
  ["stores, then resets within its answer", "half an answer", half, inDoubtHeld],
  ["answers 301 to another host", "301", redirect, notCreated, { names: elsewhere }],
  status(303, inDoubt),
  ...[400, 401, 403].map((code) => status(code, notCreated)),
  status(404, notCreated, notFound),
  status(404, notCreated, "Not here.", "404 without the error body"),
  ...[408, 409].map((code) => status(code, inDoubt)),
  status(422, notCreated),
  once(429, retried, ...second),
  once(429, retried, ...date),
  once(429, retried, "no"),
  once(429, retried, "nonsense in", "soon"),
  once(429, notCreated, ...year),
  ["repeats the API key in its error message", "400", echoAuthorization(), notCreated, redacted],
  status(500, inDoubt),
  ["stores, then answers 500", "500", committed(respond(500, envelope)), inDoubtHeld],
  ...[502, 503, 504].map((code) => status(code, inDoubt, page)),
  once(503, retried, ...second),
  once(503, notCreated, ...year),
  ["stores, and a proxy answers", "503, `Retry-After`, a page", committed(proxy503), inDoubtHeld],
  odd("201, half of the JSON", truncatedJson, inDoubtHeld),
  odd("201, 10 MiB of JSON", hugeBody, inDoubtHeld),
  odd("201, the JSON as `text/html`", asHtml, created),
  odd("201, more fields", withFields({ active: true }), created),
  odd("201, the id as a string", idAsString, created),
  odd("201, the id is 0", withFields({ id: 0 }), created),
  odd("201, no id", withFields({ id: undefined }), inDoubtHeld),
  odd("201, no secret", noSecret, undone),
  odd("201, an empty secret", withFields({ secret: "" }), undone),
  odd("201, no secret; 403 to the deletion", noSecret, partial, refused(403, envelope)),
  odd("201, no secret; 404 `NOT_FOUND` to the deletion", noSecret, partial, refused(404, notFound)),
  odd("204", committed(respond(204)), inDoubtHeld),
  odd("201, `{}`", committed(respond(201, {})), inDoubtHeld),
  ["answers something else, stores nothing", "200, `success: false`", failing, inDoubt],
  ["a proxy answers", "200, an HTML page", answersPage, inDoubt],
  ["does not listen", unconnected, [], notSent, { environment: unreachable }],
  ["speaks no TLS at an `https:` address", unconnected, [], notSent, { environment: noTls }],
  ["is behind a proxy that never answers `CONNECT`", unconnected, [], notSent, behindProxy],
  ["stores, then resets; lists it", `${broken}, then the list`, reset, listedHeld, listedNamed],
  ["resets before it reads; lists nothing", `${broken}, then the list`, unread, unlisted, listed],
  [`answers 429 ${tooLong}`, "429, again and again", throttle, notCreated, noRetries],
];

/** Everything that goes wrong with the deletion of a webhook in one `pulumi destroy`. */
const deletions: readonly Row[] = [
  ["answers late, within the limit", "200", { kind: "delay", ms: 300 }, deleted],
  ["never answers, removes nothing; once", late, silence, again, silentOnce],
  ["removes, then never answers", `${late}, ${gone}`, committed(silence), again, silentOnce],
  ["resets the connection before it reads, once", broken, unread, again, firstTime],
  ["removes, then resets the connection", `${broken}, ${gone}`, reset, again, firstTime],
  ["removes, then resets within its answer", `half an answer, ${gone}`, half, again, firstTime],
  ["answers 301 to another host", "301", redirect, kept, { names: elsewhere }],
  ...[400, 401, 403].map((code) => status(code, kept)),
  ["has no such webhook any more", missing, [], alreadyGone, removed],
  status(404, kept),
  status(404, kept, "Not here.", "404, plain text"),
  ...[409, 422].map((code) => status(code, kept)),
  ...[408, 425, 500, 502, 503, 504].map((code) => once(code, again)),
  once(429, again, ...second),
  once(429, again, ...date),
  once(429, again, "no"),
  once(429, kept, ...year),
  once(503, again, ...second),
  odd("200, half of the JSON", truncatedJson, keptGone),
  odd("200, 10 MiB of JSON", hugeBody, keptGone),
  odd("200, the JSON as `text/html`", asHtml, deleted),
  odd("200, more fields", withFields({ id: 1 }), deleted),
  odd("204", committed(respond(204)), deleted),
  odd('200, `success: "true"`', withFields({ success: "true" }), keptGone),
  ["removes nothing and says so", "200, `success: false`", failing, kept],
  ["a proxy answers", "200, an HTML page", answersPage, kept],
  ["is not at `dbwebhooks:baseUrl` any more", "no request", [], keptUnsent, moved],
  ["has moved behind a proxy that is silent", unconnected, [], keptUnsent, behindProxy],
  [`answers 503 ${tooLong}`, "503", respond(503, envelope), kept, noRetries],
  [`never answers ${tooLong}`, late, silence, kept, noRetries],
];

function rowsOf(on: FaultRow["on"], name: string, rows: readonly Row[]): FaultRow[] {
  return rows.map(([does, sees, fault, result, more], at) => {
    return { name: `${name}-${at}`, on, does, sees, fault, ...result, ...more };
  });
}

export const createFaults: readonly FaultRow[] = rowsOf("POST", "create", creations);
export const deleteFaults: readonly FaultRow[] = rowsOf("DELETE", "delete", deletions);
export const faults: readonly FaultRow[] = [...createFaults, ...deleteFaults];
