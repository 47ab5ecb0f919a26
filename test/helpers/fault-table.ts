import type { FaultRow, Measurement } from "./fault-matrix.js";

/** Writes a table of rows and of what was measured, without what differs from run to run. */
export function faultTable(
  rows: readonly FaultRow[],
  measurements: ReadonlyMap<string, Measurement>,
): string {
  // A deletion sends no POST.
  const isCreation = rows.some(({ on }) => on === "POST");
  const head = [
    "the service",
    "the client sees",
    ...(isCreation ? ["`POST`s"] : []),
    "`DELETE`s",
    "the service holds",
    "the state holds",
    "the message",
  ];
  const body = rows.map(({ name, does, sees }) => {
    const { posts, deletes, service, state, message } = measurements.get(name) as Measurement;
    const counts = isCreation ? [posts, deletes] : [deletes];
    return [does, sees, ...counts, service, state, normalized(message, name) || "–"];
  });
  return [head, head.map(() => "---"), ...body]
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |\n`)
    .join("");
}

/** Puts placeholders where a message holds a name, a port, an id, a time or the words of the system. */
function normalized(message: string, name: string): string {
  return message
    .replaceAll(`database ${name} `, "database DATABASE ")
    .replaceAll(`/bases/${name}/`, "/bases/DATABASE/")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replace(/([Ww]ebhook|\/webhooks\/)( ?)\d+/g, "$1$2ID")
    .replace(/tried \d+ times? in \d+ s/g, "tried N times in N s")
    .replace(/(could not be reached|answer was complete) \((?:[^()]|\([^()]*\))*\)/g, "$1 (REASON)")
    .replace(commonStart, "… ");
}

const commonStart =
  /^(?:Create webhook in|Delete webhook ID of) database DATABASE failed: (?:POST|DELETE) https?:\S+ /;
