import { once } from "node:events";
import { type Interceptor, startLocalService } from "pulumi-dbwebhooks/local-service";
import { someArgs } from "../builders.ts";
import { holdCreations, isPost, times } from "../faults/faults.mts";
import { within } from "../within.ts";
import { type Adapter, startAdapter } from "./adapters.ts";

const inputs = someArgs();

/** Starts an adapter with a creation in flight that may meet a fault. */
export async function startCreationInFlight(
  adapter: Adapter,
  { fault }: { readonly fault?: Interceptor } = {},
) {
  const service = await startLocalService();
  const { baseUrl, apiKey } = service;
  const running = await startAdapter(adapter, { baseUrl, apiKey });
  if (fault) {
    service.use(times(1, fault, isPost));
  }
  const { committed, release } = holdCreations(service, Number.POSITIVE_INFINITY);
  const creation = running.create(inputs);
  const exit = once(running.child, "exit");
  await committed;
  return {
    service,
    running,
    /**
     * The service has committed this creation and holds its response back until `release` is
     * called.
     */
    creation,
    release,
    /** Waits for the exit code and the signal of the process. */
    exited: () =>
      within(30, exit, () => `the process still runs; its output: ${running.lines().join("\n")}`),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await service.close();
    },
  };
}
