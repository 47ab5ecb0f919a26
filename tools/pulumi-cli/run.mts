/**
 * `npm run pulumi -- ARGUMENTS`: runs the Pulumi CLI, as if it had been called itself, in the
 * directory npm was called from.
 */
import { execute, exitCodeOf } from "./execute.mts";
import { type PulumiCli, resolvePulumiCli } from "./resolve.mts";

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});

async function main(args: readonly string[]): Promise<number> {
  const cli = await resolveUntilSignal();
  if (typeof cli === "string") return exitCodeOf(cli);

  return await execute(cli.command, args, {
    cwd: process.env.INIT_CWD ?? process.cwd(),
    env: { ...process.env, ...cli.environment },
  });
}

/** A signal ends a download or a build, with everything that was started for it. */
async function resolveUntilSignal(): Promise<PulumiCli | NodeJS.Signals> {
  const cancellation = new AbortController();
  const cancel = (signal: NodeJS.Signals) => cancellation.abort(signal);
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, cancel);
  try {
    return await resolvePulumiCli({ signal: cancellation.signal });
  } catch (error) {
    if (cancellation.signal.aborted) return cancellation.signal.reason;
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, cancel);
  }
}
