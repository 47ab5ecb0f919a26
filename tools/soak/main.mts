// `node tools/soak/main.mts [WEBHOOKS ROUNDS SEED]`: runs many webhooks with random faults and random edits, and
// compares the service with the state after every command.
import { soak } from "./soak.mts";

const [webhooks = 300, rounds = 10, seed = Date.now() % 1_000_000] = process.argv
  .slice(2)
  .map(Number);

const { violations, summary } = await soak({ webhooks, rounds, seed, print });
print(JSON.stringify(summary, undefined, 2));
for (const violation of violations) {
  print(`VIOLATED: ${violation}`);
}
process.exitCode = violations.length === 0 ? 0 : 1;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
