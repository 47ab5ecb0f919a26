import {
  aYear,
  envelope,
  lateRow,
  nothing,
  page,
  pageFault,
  redirectRow,
  statusOnceRow,
  statusRow,
  webhook,
} from "./answers.js";
import { asHtml, echoAuthorization, hugeBody, idAsString, truncatedJson } from "./faults.mjs";
import { type FaultRow, otherwise, type RowOutcome } from "./row.js";

const created: RowOutcome = {
  outcome: "created",
  ...nothing,
  ...webhook,
  posts: 1,
};
const createdByRetry: RowOutcome = { ...created, posts: 2 };
const notCreated: RowOutcome = {
  outcome: "notCreated",
  ...nothing,
  posts: 1,
};
const notSent: RowOutcome = { ...notCreated, posts: 0 };
const inDoubt: RowOutcome = { ...notCreated, outcome: "inDoubt" };
const inDoubtAndCreated: RowOutcome = { ...inDoubt, service: "the webhook" };
const undone: RowOutcome = { ...notCreated, outcome: "undone", deletes: 1 };
const partial: RowOutcome = {
  outcome: "partial",
  posts: 1,
  gets: 0,
  deletes: 1,
  service: "the webhook",
  state: "the webhook, no secret",
};

const notFound = { error: { code: "NOT_FOUND", message: "Webhook not found" } };
const json = { "content-type": "application/json" };

const post = (row: Omit<FaultRow, "on">): FaultRow => ({ ...row, on: "POST" });

const status = statusRow.bind(undefined, "POST");
const once = statusOnceRow.bind(undefined, "POST");

/** An answer of 201 that is not as the interface shows it, the webhook being stored. */
function odd(
  name: string,
  sees: string,
  fault: FaultRow["fault"],
  outcome: RowOutcome,
  more: Partial<FaultRow> = {},
): FaultRow {
  return post({ name, does: "stores, then answers oddly", sees, fault, ...outcome, ...more });
}

/** Everything that goes wrong with the creation of a webhook in one `pulumi up`. */
export const createFaults: readonly FaultRow[] = [
  lateRow("POST", "201", created),
  post({
    name: "silent",
    does: "never answers, stores nothing",
    sees: "no answer in time",
    fault: { kind: "neverAnswer" },
    ...inDoubt,
  }),
  post({
    name: "silent-after-commit",
    does: "stores, then never answers",
    sees: "no answer in time",
    fault: { kind: "neverAnswer", commit: true },
    ...inDoubtAndCreated,
  }),
  post({
    name: "too-late",
    does: "stores after the client has given up",
    sees: "no answer in time",
    fault: { kind: "hold" },
    ...inDoubtAndCreated,
  }),
  post({
    name: "reset-before-reading",
    does: "resets the connection before it reads",
    sees: "a broken connection",
    fault: { kind: "resetBeforeReading" },
    ...inDoubt,
  }),
  post({
    name: "reset-after-commit",
    does: "stores, then resets the connection",
    sees: "a broken connection",
    fault: { kind: "resetAfterCommit" },
    ...inDoubtAndCreated,
  }),
  post({
    name: "reset-mid-body",
    does: "stores, then resets within its answer",
    sees: "half an answer",
    fault: { kind: "resetMidBody" },
    ...inDoubtAndCreated,
  }),
  redirectRow("POST", notCreated),
  status(303, inDoubt, undefined),
  status(400, notCreated),
  status(401, notCreated),
  status(403, notCreated),
  status(404, notCreated, notFound),
  {
    ...status(404, notCreated, "Not here."),
    name: "status-404-plain",
    sees: "404 without the error body",
  },
  status(408, inDoubt),
  status(409, inDoubt),
  status(422, notCreated),
  once(429, createdByRetry, { name: "a second in", value: "1" }),
  once(429, createdByRetry, { name: "a date in", value: new Date().toUTCString() }),
  once(429, createdByRetry, { name: "no" }),
  once(429, createdByRetry, { name: "nonsense in", value: "soon" }),
  once(
    429,
    { ...notCreated, names: "dbwebhooks:retrySeconds" },
    { name: "a year in", value: aYear },
  ),
  post({
    name: "echo",
    does: "repeats the API key in its error message",
    sees: "400",
    fault: echoAuthorization(),
    ...notCreated,
    names: "[redacted]",
  }),
  status(500, inDoubt),
  {
    ...status(500, inDoubtAndCreated),
    name: "status-500-after-commit",
    does: "stores, then answers 500",
    fault: { kind: "respond", statusCode: 500, body: envelope, commit: true },
  },
  status(502, inDoubt, page),
  status(503, inDoubt, page),
  status(504, inDoubt, page),
  once(503, createdByRetry, { name: "a second in", value: "1" }),
  once(
    503,
    { ...notCreated, names: "dbwebhooks:retrySeconds" },
    { name: "a year in", value: aYear },
  ),
  post({
    name: "proxy-503",
    does: "stores, and a proxy answers 503 with `Retry-After`",
    sees: "503, a second in `Retry-After`, no error body",
    fault: {
      kind: "respond",
      statusCode: 503,
      body: page,
      headers: { "retry-after": "1" },
      commit: true,
    },
    ...inDoubtAndCreated,
  }),
  odd("truncated-json", "201, half of the JSON", truncatedJson, inDoubtAndCreated),
  odd("huge-body", "201, 10 MiB of JSON", hugeBody, inDoubtAndCreated),
  odd("content-type", "201, the JSON as `text/html`", asHtml, created),
  odd("extra-fields", "201, more fields", { kind: "fields", set: { active: true } }, created),
  odd("id-as-string", "201, the id as a string", idAsString, created),
  odd("id-0", "201, the id is 0", { kind: "fields", set: { id: 0 } }, created),
  odd("id-missing", "201, no id", { kind: "fields", remove: ["id"] }, inDoubtAndCreated),
  odd("secret-missing", "201, no secret", { kind: "fields", remove: ["secret"] }, undone),
  odd("secret-empty", "201, an empty secret", { kind: "fields", set: { secret: "" } }, undone),
  odd(
    "secret-missing-stuck",
    "201, no secret; 403 to the deletion",
    { kind: "fields", remove: ["secret"] },
    { ...partial, names: "403" },
    { more: [{ on: "DELETE", fault: { kind: "respond", statusCode: 403, body: envelope } }] },
  ),
  odd(
    "secret-missing-hidden",
    "201, no secret; 404 `NOT_FOUND` to the deletion, as to a key without access",
    { kind: "fields", remove: ["secret"] },
    { ...partial, names: "404" },
    { more: [{ on: "DELETE", fault: { kind: "respond", statusCode: 404, body: notFound } }] },
  ),
  post({
    name: "success-false",
    does: "answers something else, stores nothing",
    sees: "200, `success: false`",
    fault: { kind: "respond", statusCode: 200, body: { success: false } },
    ...inDoubt,
  }),
  post({
    name: "html",
    does: "a proxy answers",
    sees: "200, an HTML page",
    fault: pageFault,
    ...inDoubt,
  }),
  odd("empty", "204", { kind: "respond", statusCode: 204, commit: true }, inDoubtAndCreated),
  odd(
    "empty-object",
    "201, `{}`",
    { kind: "respond", statusCode: 201, body: {}, headers: json, commit: true },
    inDoubtAndCreated,
  ),
  post({
    name: "unreachable",
    does: "does not listen",
    sees: "no connection",
    fault: [],
    environment: otherwise.unreachable,
    ...notSent,
  }),
  post({
    name: "no-tls",
    does: "speaks no TLS at an `https:` address",
    sees: "no connection",
    fault: [],
    environment: otherwise.noTls,
    ...notSent,
  }),
  post({
    name: "silent-tls",
    does: "accepts the connection and never speaks TLS",
    sees: "no connection",
    fault: [],
    environment: otherwise.silentTls,
    ...notSent,
  }),
  post({
    name: "silent-proxy",
    does: "is behind a proxy that never answers `CONNECT`",
    sees: "no connection",
    fault: [],
    environment: otherwise.silentProxy,
    ...notSent,
  }),
  post({
    name: "listed",
    does: "stores, then resets the connection; lists it",
    sees: "a broken connection, then the webhook in the list",
    fault: { kind: "resetAfterCommit" },
    environment: otherwise.listing,
    ...inDoubtAndCreated,
    gets: 1,
    isIdNamed: true,
  }),
  post({
    name: "not-listed",
    does: "resets the connection before it reads; lists nothing",
    sees: "a broken connection, then an empty list",
    fault: { kind: "resetBeforeReading" },
    environment: otherwise.listing,
    ...inDoubt,
    gets: 1,
  }),
  {
    ...once(
      429,
      { ...notCreated, names: "dbwebhooks:retrySeconds" },
      { name: "again and again a second in", value: "1" },
    ),
    does: "answers 429 for longer than `dbwebhooks:retrySeconds`",
    environment: otherwise.noRetries,
    times: undefined,
  },
];
