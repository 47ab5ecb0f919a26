import { createFaults, deleteFaults, type FaultRow, outcomes, rowSettings } from "./rows.js";

/** The text of docs/contributing/faults.md, written from the rows alone. */
export function faultPage(): string {
  const meanings = Object.entries(outcomes).map(([name, { state, meaning }]) => {
    return [name, state, meaning];
  });
  return `# Faults

What can go wrong between Pulumi and the service, and what it leaves behind. \`npm run docs\` writes this page from the rows of the tests. Both adapters, the dynamic provider of the npm package and the [native plugin](../languages.md), play every row against the local service over gRPC (\`test/process/faults/faults.test.ts\`). One row of each outcome is also played on the real Pulumi CLI (\`test/e2e/faults.test.ts\`).

After every row, each webhook at the service is either in the state with its secret, or an error names its database or its id. When the fault is over, delete by hand what the errors name. The next \`pulumi up\` then ends with one webhook at the service and in the state, and \`pulumi destroy\` with none.

One attempt times out after ${rowSettings.timeoutSeconds} s, and one operation retries for at most ${rowSettings.retrySeconds} s, unless the row says otherwise. The same request twice in a row is a retry. A \`GET\` asks for the list of webhooks, which happens only with \`dbwebhooks:listing\` on.

## Outcomes

${table(["outcome", "the state holds", "meaning"], meanings)}
## Create

${faultTable(createFaults)}
## Delete

${faultTable(deleteFaults)}`;
}

function faultTable(rows: readonly FaultRow[]): string {
  const cells = rows.map(({ does, requests, isHeld, outcome }) => {
    const sent = requests.map((method) => `\`${method}\``).join(", ") || "none";
    return [does, sent, isHeld ? "the webhook" : "nothing", outcome];
  });
  return table(["the service", "requests", "the service then holds", "outcome"], cells);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`)
    .join("");
}
