import {
  aYear,
  lateRow,
  nothing,
  pageFault,
  redirectRow,
  statusOnceRow,
  statusRow,
  webhook,
} from "./answers.js";
import { asHtml, hugeBody, truncatedJson } from "./faults.mjs";
import { type FaultRow, otherwise, type RowOutcome } from "./row.js";

const deleted: RowOutcome = {
  outcome: "deleted",
  ...nothing,
  deletes: 1,
};
const deletedByRetry: RowOutcome = { ...deleted, deletes: 2 };
const kept: RowOutcome = {
  outcome: "kept",
  ...nothing,
  ...webhook,
  deletes: 1,
};
const keptAndDeleted: RowOutcome = { ...kept, service: "nothing" };

const remove = (row: Omit<FaultRow, "on">): FaultRow => ({ ...row, on: "DELETE" });

const status = statusRow.bind(undefined, "DELETE");
const once = statusOnceRow.bind(undefined, "DELETE");

/** Something in place of the answer to a deletion that took place. */
function odd(
  name: string,
  sees: string,
  fault: FaultRow["fault"],
  outcome: RowOutcome = keptAndDeleted,
): FaultRow {
  return remove({ name, does: "removes, then answers oddly", sees, fault, ...outcome });
}

/** Everything that goes wrong with the deletion of a webhook in one `pulumi destroy`. */
export const deleteFaults: readonly FaultRow[] = [
  lateRow("DELETE", "200", deleted),
  remove({
    name: "silent",
    does: "never answers, removes nothing; once",
    sees: "no answer in time",
    fault: { kind: "neverAnswer" },
    times: 1,
    ...deletedByRetry,
  }),
  remove({
    name: "silent-after-commit",
    does: "removes, then never answers",
    sees: "no answer in time, then 404 `NOT_FOUND`",
    fault: { kind: "neverAnswer", commit: true },
    times: 1,
    ...deletedByRetry,
  }),
  remove({
    name: "reset-before-reading",
    does: "resets the connection before it reads, once",
    sees: "a broken connection",
    fault: { kind: "resetBeforeReading" },
    times: 1,
    ...deletedByRetry,
  }),
  remove({
    name: "reset-after-commit",
    does: "removes, then resets the connection",
    sees: "a broken connection, then 404 `NOT_FOUND`",
    fault: { kind: "resetAfterCommit" },
    times: 1,
    ...deletedByRetry,
  }),
  remove({
    name: "reset-mid-body",
    does: "removes, then resets within its answer",
    sees: "half an answer, then 404 `NOT_FOUND`",
    fault: { kind: "resetMidBody" },
    times: 1,
    ...deletedByRetry,
  }),
  redirectRow("DELETE", kept),
  status(400, kept),
  status(401, kept),
  status(403, kept),
  remove({
    name: "removed-before",
    does: "has no such webhook any more",
    sees: "404 `NOT_FOUND`",
    fault: [],
    isRemovedBefore: true,
    ...deleted,
    outcome: "already gone",
  }),
  status(404, kept),
  { ...status(404, kept, "Not here."), name: "status-404-plain", sees: "404, plain text" },
  once(408, deletedByRetry),
  status(409, kept),
  status(422, kept),
  once(425, deletedByRetry),
  once(429, deletedByRetry, { name: "a second in", value: "1" }),
  once(429, deletedByRetry, { name: "a date in", value: new Date().toUTCString() }),
  once(429, deletedByRetry, { name: "no" }),
  once(429, { ...kept, names: "dbwebhooks:retrySeconds" }, { name: "a year in", value: aYear }),
  once(500, deletedByRetry),
  once(502, deletedByRetry),
  once(503, deletedByRetry),
  once(503, deletedByRetry, { name: "a second in", value: "1" }),
  once(504, deletedByRetry),
  odd("truncated-json", "200, half of the JSON", truncatedJson),
  odd("huge-body", "200, 10 MiB of JSON", hugeBody),
  odd("content-type", "200, the JSON as `text/html`", asHtml, deleted),
  odd("extra-fields", "200, more fields", { kind: "fields", set: { id: 1 } }, deleted),
  odd("empty", "204", { kind: "respond", statusCode: 204, commit: true }, deleted),
  odd("success-text", '200, `success: "true"`', { kind: "fields", set: { success: "true" } }),
  remove({
    name: "success-false",
    does: "removes nothing and says so",
    sees: "200, `success: false`",
    fault: { kind: "respond", statusCode: 200, body: { success: false, message: "No." } },
    ...kept,
  }),
  remove({
    name: "html",
    does: "a proxy answers",
    sees: "200, an HTML page",
    fault: pageFault,
    ...kept,
  }),
  remove({
    name: "elsewhere",
    does: "is not at `dbwebhooks:baseUrl` any more",
    sees: "nothing: no request is sent",
    fault: [],
    environment: otherwise.unreachable,
    ...kept,
    deletes: 0,
    names: "dbwebhooks:otherBaseUrls",
  }),
  remove({
    name: "removed-before-elsewhere",
    does: "has no such webhook, and is one of `dbwebhooks:otherBaseUrls`",
    sees: "404 `NOT_FOUND`",
    fault: [],
    isRemovedBefore: true,
    environment: otherwise.other,
    ...keptAndDeleted,
    names: "dbwebhooks:baseUrl",
  }),
  remove({
    name: "silent-tls",
    does: "has moved to where nothing speaks TLS",
    sees: "no connection",
    fault: [],
    environment: otherwise.movedToSilentTls,
    ...kept,
    deletes: 0,
  }),
  remove({
    name: "silent-proxy",
    does: "has moved behind a proxy that never answers `CONNECT`",
    sees: "no connection",
    fault: [],
    environment: otherwise.movedBehindSilentProxy,
    ...kept,
    deletes: 0,
  }),
  {
    ...once(503, deletedByRetry),
    name: "always-503",
    does: "answers 503 for longer than `dbwebhooks:retrySeconds`",
    environment: otherwise.noRetries,
    times: undefined,
    ...kept,
    names: "dbwebhooks:retrySeconds",
  },
  remove({
    name: "always-silent",
    does: "never answers for longer than `dbwebhooks:retrySeconds`",
    sees: "no answer in time",
    fault: { kind: "neverAnswer" },
    environment: otherwise.noRetries,
    ...kept,
    names: "dbwebhooks:retrySeconds",
  }),
];
