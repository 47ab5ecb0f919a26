import { createFaults, deleteFaults, type FaultRow, outcomes, rowSettings } from "./rows.js";

/** The text of docs/contributing/faults.md, written from the rows alone. */
export function faultPage(): string {
  return `# Faults

What can go wrong between Pulumi and the service, and what it leaves behind. \`npm run docs\` writes this page from the rows of the tests. Both adapters, the dynamic provider of the npm package and the [native plugin](../languages.md), play every row against the local service over gRPC (\`test/process/faults/faults.test.ts\`). One row of each outcome is also played on the real Pulumi CLI (\`test/e2e/faults.test.ts\`).

After every row, each webhook at the service is either in the state with its secret, or an error names its database or its id. When the fault is over, delete by hand what the errors name. The next \`pulumi up\` then ends with one webhook at the service and in the state, and \`pulumi destroy\` with none.

One attempt times out after ${rowSettings.timeoutSeconds} s, and one operation retries for at most ${rowSettings.retrySeconds} s, unless the row says otherwise. More than one \`POST\` or \`DELETE\` in a row is a retry. A \`GET\` asks for the list of webhooks, which happens only with \`dbwebhooks:listing\` on.

## Outcomes

${table(["outcome", "meaning"], Object.entries(outcomes))}
## Create

${faultTable(createFaults, { posts: "`POST`s", gets: "`GET`s", deletes: "`DELETE`s" })}
## Delete

${faultTable(deleteFaults, { deletes: "`DELETE`s" })}`;
}

function faultTable(rows: readonly FaultRow[], counts: object): string {
  const columns = {
    does: "the service",
    sees: "the client sees",
    ...counts,
    service: "the service holds",
    state: "the state holds",
    outcome: "outcome",
  };
  const keys = Object.keys(columns) as (keyof FaultRow)[];
  const cells = rows.map((row) => keys.map((key) => String(row[key])));
  return table(Object.values(columns), cells);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`)
    .join("");
}
