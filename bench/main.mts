// `npm run bench`: compares this package with other ways to manage the same webhooks. See
// docs/contributing/benchmarks.md.
import { parseArgs } from "node:util";
import { resolvePulumiCli } from "../tools/pulumi-cli/resolve.mts";
import { compare } from "./commands.mts";
import { environmentText, ratioTable, stateTable } from "./report.mts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", multiple: true, default: ["1", "200"] },
    rounds: { type: "string" },
  },
});
if (positionals.some((name) => name !== "commands")) {
  process.stderr.write("Usage: npm run bench -- [commands] [--count NUMBER]… [--rounds NUMBER]\n");
  process.exit(2);
}

const cli = await resolvePulumiCli({ languages: ["yaml"] });
for (const count of values.count.map(Number)) {
  // A command with one webhook takes little time, so ratios close to 1 need more rounds.
  const rounds = Number(values.rounds ?? (count === 1 ? 9 : 3));
  const say = (round: number) =>
    process.stderr.write(`bench: webhooks: ${count}, round ${round} of ${rounds}\n`);
  const comparison = await compare({ cli, count, rounds, say });
  process.stdout.write(`\n${ratioTable(comparison)}\n\n${stateTable(comparison)}\n`);
}
process.stdout.write(`\n${environmentText(cli.version)}\n`);
