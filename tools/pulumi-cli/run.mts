/**
 * `npm run pulumi -- ARGUMENTS`: runs the Pulumi CLI, as if it had been called itself, in the
 * directory npm was called from.
 */
import { endingSignals, execute, exitCodeOf } from "./execute.mts";
import { resolvePulumiCli } from "./resolve.mts";

const cancellation = new AbortController();
const cancel = (signal: NodeJS.Signals) => cancellation.abort(signal);
for (const signal of endingSignals) process.on(signal, cancel);

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (cancellation.signal.aborted) return exitCodeOf(cancellation.signal.reason);
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});

async function main(args: readonly string[]): Promise<number> {
  const cli = await resolvePulumiCli({ signal: cancellation.signal });

  const exitCode = execute(cli.command, args, {
    cwd: process.env.INIT_CWD ?? process.cwd(),
    env: { ...process.env, ...cli.environment },
  });
  // Only now: without any handler at all, a signal would end this process.
  for (const signal of endingSignals) process.off(signal, cancel);
  return await exitCode;
}
