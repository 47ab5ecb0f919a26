import { aYear, envelope, page, pageFault, statusRow } from "./fault-answers.js";
import { type FaultRow, otherwise, type RowOutcome } from "./fault-matrix.js";
import { asHtml, echoAuthorization, hugeBody, idAsString, truncatedJson } from "./faults.mjs";

const orphanText = (name: string) => `A webhook may exist in database ${name} whose secret nobody`;

const created: RowOutcome = { posts: 1, service: "the webhook", state: "the webhook" };
const createdAtLast: RowOutcome = { ...created, posts: 2 };
const refused: RowOutcome = { posts: 1, says: "No webhook was created." };
const mayExist: RowOutcome = { posts: 1, says: orphanText };
const orphaned: RowOutcome = { ...mayExist, service: "the webhook" };

const notFound = { error: { code: "NOT_FOUND", message: "Webhook not found" } };
const json = { "content-type": "application/json" };

const post = (row: Omit<FaultRow, "on">): FaultRow => ({ ...row, on: "POST" });

const status = statusRow.bind(undefined, "POST");

/** An answer that asks to come back, the first time. */
function throttled(
  statusCode: number,
  name: string,
  retryAfter: string | undefined,
  outcome: RowOutcome,
): FaultRow {
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  const text = `${statusCode}, ${name} \`Retry-After\``;
  return post({
    name: `status-${statusCode}-${name.replaceAll(" ", "-")}`,
    does: `answers ${text}, once`,
    sees: text,
    fault: { kind: "respond", statusCode, body: envelope, headers },
    times: 1,
    ...outcome,
  });
}

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
  post({
    name: "late",
    does: "answers late, within the limit",
    sees: "201",
    fault: { kind: "delay", ms: 300 },
    ...created,
  }),
  post({
    name: "silent",
    does: "never answers, stores nothing",
    sees: "no answer in time",
    fault: { kind: "neverAnswer" },
    ...mayExist,
  }),
  post({
    name: "silent-after-commit",
    does: "stores, then never answers",
    sees: "no answer in time",
    fault: { kind: "neverAnswer", commit: true },
    ...orphaned,
  }),
  post({
    name: "too-late",
    does: "stores after the client has given up",
    sees: "no answer in time",
    fault: { kind: "hold" },
    ...orphaned,
  }),
  post({
    name: "reset-before-reading",
    does: "resets the connection before it reads",
    sees: "a broken connection",
    fault: { kind: "resetBeforeReading" },
    ...mayExist,
  }),
  post({
    name: "reset-after-commit",
    does: "stores, then resets the connection",
    sees: "a broken connection",
    fault: { kind: "resetAfterCommit" },
    ...orphaned,
  }),
  post({
    name: "reset-mid-body",
    does: "stores, then resets within its answer",
    sees: "half an answer",
    fault: { kind: "resetMidBody" },
    ...orphaned,
  }),
  post({
    name: "redirect",
    does: "answers 301 to another host",
    sees: "301",
    fault: {
      kind: "respond",
      statusCode: 301,
      headers: { location: "https://elsewhere.example/api" },
    },
    ...refused,
    says: "It redirects to https://elsewhere.example, and the API key is not sent there",
  }),
  status(303, mayExist, undefined),
  status(400, refused),
  status(401, { ...refused, says: "The service does not accept the API key." }),
  status(403, { ...refused, says: "The API key may not do this." }),
  status(404, { ...refused, says: "the key has no access to it" }, notFound),
  {
    ...status(404, { ...refused, says: "the key has no access to it" }, "Not here."),
    name: "status-404-plain",
    sees: "404 without the error body",
  },
  status(408, mayExist),
  status(409, mayExist),
  status(422, refused),
  throttled(429, "a second in", "1", createdAtLast),
  throttled(429, "a date in", new Date().toUTCString(), createdAtLast),
  throttled(429, "no", undefined, createdAtLast),
  throttled(429, "nonsense in", "soon", createdAtLast),
  throttled(429, "a year in", aYear, {
    ...refused,
    says: "it asked to wait over a day more; dbwebhooks:retrySeconds is 15",
  }),
  post({
    name: "echo",
    does: "repeats the API key in its error message",
    sees: "400",
    fault: echoAuthorization(),
    ...refused,
    says: "[redacted]",
  }),
  status(500, mayExist),
  {
    ...status(500, orphaned),
    name: "status-500-after-commit",
    does: "stores, then answers 500",
    fault: { kind: "respond", statusCode: 500, body: envelope, commit: true },
  },
  status(502, mayExist, page),
  status(503, mayExist, page),
  status(504, mayExist, page),
  throttled(503, "a second in", "1", createdAtLast),
  throttled(503, "a year in", aYear, {
    ...refused,
    says: "it asked to wait over a day more; dbwebhooks:retrySeconds is 15",
  }),
  odd("truncated-json", "201, half of the JSON", truncatedJson, orphaned),
  odd("huge-body", "201, 10 MiB of JSON", hugeBody, orphaned),
  odd("content-type", "201, the JSON as `text/html`", asHtml, created),
  odd("extra-fields", "201, more fields", { kind: "fields", set: { active: true } }, created),
  odd("id-as-string", "201, the id as a string", idAsString, created),
  odd("id-0", "201, the id is 0", { kind: "fields", set: { id: 0 } }, created),
  odd("id-missing", "201, no id", { kind: "fields", remove: ["id"] }, orphaned),
  odd(
    "secret-missing",
    "201, no secret",
    { kind: "fields", remove: ["secret"] },
    { posts: 1, deletes: 1, says: "sent no usable secret. It was deleted again." },
  ),
  odd(
    "secret-empty",
    "201, an empty secret",
    { kind: "fields", set: { secret: "" } },
    { posts: 1, deletes: 1, says: "sent no usable secret. It was deleted again." },
  ),
  odd(
    "secret-missing-stuck",
    "201, no secret; 403 to the deletion",
    { kind: "fields", remove: ["secret"] },
    {
      posts: 1,
      deletes: 1,
      service: "the webhook",
      state: "the webhook, no secret",
      says: 'the next "pulumi up" replaces it',
    },
    { more: [{ on: "DELETE", fault: { kind: "respond", statusCode: 403, body: envelope } }] },
  ),
  post({
    name: "success-false",
    does: "answers something else, stores nothing",
    sees: "200, `success: false`",
    fault: { kind: "respond", statusCode: 200, body: { success: false } },
    ...mayExist,
  }),
  post({
    name: "html",
    does: "a proxy answers",
    sees: "200, an HTML page",
    fault: pageFault,
    ...mayExist,
  }),
  odd("empty", "204", { kind: "respond", statusCode: 204, commit: true }, orphaned),
  odd(
    "empty-object",
    "201, `{}`",
    { kind: "respond", statusCode: 201, body: {}, headers: json, commit: true },
    orphaned,
  ),
  post({
    name: "unreachable",
    does: "does not listen",
    sees: "no connection",
    fault: [],
    environment: otherwise.unreachable,
    posts: 0,
    says: /could not be reached .*\. No webhook was created\. Check the network/,
  }),
  post({
    name: "no-tls",
    does: "speaks no TLS at an `https:` address",
    sees: "no connection",
    fault: [],
    environment: otherwise.noTls,
    posts: 0,
    says: /could not be reached .*\. No webhook was created\. Check the network/,
  }),
  {
    ...throttled(429, "again and again a second in", "1", {
      ...refused,
      says: "dbwebhooks:retrySeconds is 0",
    }),
    does: "answers 429 for longer than `dbwebhooks:retrySeconds`",
    environment: otherwise.noRetries,
    times: undefined,
  },
];
