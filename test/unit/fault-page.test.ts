import { expect, it } from "vitest";
import * as cases from "../process/faults/cases.ts";

it("docs/contributing/faults.md lists the cases in test/process/faults/cases.ts; npm run docs updates it", async () => {
  await expect(faultPage()).toMatchFileSnapshot("../../docs/contributing/faults.md");
});

/** The text of docs/contributing/faults.md, written from the cases alone. */
function faultPage(): string {
  const outcomes = Object.entries(cases.outcomes);
  const outcomeRows = outcomes.map(([name, { state, meaning }]) => [name, state, meaning]);
  return `# Faults

What can go wrong between Pulumi and the service, and what it leaves behind. \`npm run docs\` writes this page from the cases of the tests. Both adapters, the dynamic provider of the npm package and the [native plugin](../languages.md), run every case against the local service over gRPC (\`test/process/faults/faults.test.ts\`). One case of each outcome also runs on the real Pulumi CLI (\`test/e2e/faults.test.ts\`).

After every case, each webhook at the service is either in the state with its secret, or an error names its database or its id. When the fault is over, delete by hand what the errors name. The next \`pulumi up\` then ends with one webhook at the service and in the state, and \`pulumi destroy\` with none.

One attempt times out after ${cases.defaultSettings.timeoutSeconds} s, and one operation retries for at most ${cases.defaultSettings.retrySeconds} s, unless the case says otherwise. The same request twice in a row is a retry. A \`GET\` asks for the list of webhooks, which happens only with \`dbwebhooks:listing\` on.

## Outcomes

${table(["outcome", "the state holds", "meaning"], outcomeRows)}
## Create

${faultTable(cases.createFaults)}
## Delete

${faultTable(cases.deleteFaults)}`;
}

function faultTable(faults: readonly cases.FaultCase[]): string {
  const rows = faults.map(({ does, requests, webhookExists, outcome }) => {
    const sent = requests.map((method) => `\`${method}\``).join(", ") || "none";
    return [does, sent, webhookExists ? "the webhook" : "nothing", outcome];
  });
  return table(["the service", "requests", "the service then holds", "outcome"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`)
    .join("");
}
