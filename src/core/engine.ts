import { setMaxListeners } from "node:events";
import { connect } from "node:net";
import { notify } from "../service/notify.js";

const answerWithinMs = 1_000;

let creationsInFlight = 0;
const stop = new AbortController();

// One listener for every creation that waits is no leak.
setMaxListeners(0, stop.signal);

/**
 * Runs a creation, and undoes it when its result can no longer reach the state: the engine has told
 * this process to stop, or is gone. Then the process ends, once no other creation is in flight.
 *
 * Signals are handled only while a creation is in flight. At the end of every command the engine sends
 * SIGINT and waits up to 5 seconds: a process with nothing to undo ends at once, as it would without
 * this package.
 *
 * @param create Gets a signal that aborts when nothing more may be sent.
 * @param undo Undoes what `create` made.
 */
export async function whileEngineStores<Created>(
  create: (stopping: AbortSignal) => Promise<Created>,
  undo: (created: Created) => Promise<never>,
): Promise<Created> {
  begin();
  try {
    const created = await create(stop.signal);
    return (await canStore()) ? created : await undo(created);
  } catch (error) {
    if (!(await canStore())) {
      // The process ends before the error can reach the engine.
      notify(error instanceof Error ? error.message : "Create webhook failed.");
    }
    throw error;
  } finally {
    end();
  }
}

/** Whether what this process answers can still reach the state. Once it cannot, it never will. */
async function canStore(): Promise<boolean> {
  if (!stop.signal.aborted && !(await doesEngineListen())) {
    stop.abort();
  }
  return !stop.signal.aborted;
}

function begin(): void {
  creationsInFlight += 1;
  if (creationsInFlight === 1) {
    process.on("SIGINT", stopCreating);
    process.on("SIGTERM", finishCreating);
  }
}

function end(): void {
  creationsInFlight -= 1;
  if (creationsInFlight > 0) {
    return;
  }
  process.off("SIGINT", stopCreating);
  process.off("SIGTERM", finishCreating);
  if (stop.signal.aborted) {
    process.exit();
  }
}

/** The engine sends SIGINT when it will store nothing more, and SIGKILL 5 seconds later. */
function stopCreating(): void {
  if (!stop.signal.aborted) {
    notify(
      "Pulumi stops: webhooks that are being created are deleted again, if the service answers within 5 seconds.",
    );
    stop.abort();
  }
}

/** A service manager sends SIGTERM to all processes at once; the engine still stores what comes. */
function finishCreating(): void {}

/** Whether something listens at the address that the engine gave to this process. */
function doesEngineListen(): Promise<boolean> {
  // The engine puts its address last, behind flags such as those for logging and tracing.
  const [, host, port] = /^(.+):(\d+)$/.exec(process.argv.at(-1) ?? "") ?? [];
  if (host === undefined) {
    return Promise.resolve(true);
  }
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: answerWithinMs });
    const settle = (listens: boolean) => {
      socket.destroy();
      resolve(listens);
    };
    socket.once("connect", () => settle(true));
    socket.once("timeout", () => settle(true));
    socket.once("error", (error: NodeJS.ErrnoException) => settle(error.code !== "ECONNREFUSED"));
  });
}
