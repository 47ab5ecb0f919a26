import { createFaults } from "./create-faults.js";
import { deleteFaults } from "./delete-faults.js";
import { type FaultRow, outcomes, rowSettings } from "./row.js";

/** The text of docs/contributing/faults.md, written from the rows alone. */
export function faultPage(): string {
  return `# Faults

What can go wrong between Pulumi and the service, and what it leaves behind. \`npm run docs\` writes this page from the rows of the tests. Each row is played against the local service through both shells, the dynamic provider of the npm package and the [native plugin](../languages.md): over gRPC (\`test/process/faults.test.ts\`) and on the real Pulumi CLI (\`test/e2e/faults.test.ts\`).

After every row, each webhook at the service is either in the state with its secret, or an error names its database or its id. Wait until the fault is over, and delete by hand what the errors name. Then \`pulumi up\` ends with one webhook at the service and in the state, and \`pulumi destroy\` with none.

One attempt may take ${rowSettings["dbwebhooks:timeoutSeconds"]} s, and one operation may retry for ${rowSettings["dbwebhooks:retrySeconds"]} s, unless the row says otherwise. More than one \`POST\` or \`DELETE\` in a row is a retry. A \`GET\` asks for the list of webhooks, which happens only with \`dbwebhooks:listing\` on.

## Outcomes

${table(
  ["outcome", "what it means"],
  Object.entries(outcomes).map(([name, { meaning }]) => [name, meaning]),
)}
## Create

${faultTable(createFaults, ["posts", "gets", "deletes"])}
## Delete

${faultTable(deleteFaults, ["deletes"])}`;
}

const countHeads = { posts: "`POST`s", gets: "`GET`s", deletes: "`DELETE`s" };

function faultTable(
  rows: readonly FaultRow[],
  counts: readonly (keyof typeof countHeads)[],
): string {
  return table(
    [
      "the service",
      "the client sees",
      ...counts.map((count) => countHeads[count]),
      "the service holds",
      "the state holds",
      "outcome",
    ],
    rows.map((row) => [
      row.does,
      row.sees,
      ...counts.map((count) => String(row[count])),
      row.service,
      row.state,
      row.outcome,
    ]),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`)
    .join("");
}
