// `npm start`: demonstrates this package with the real Pulumi CLI, without an account.
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { LocalWorkspace, type OutputMap, type Stack } from "@pulumi/pulumi/automation/index.js";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { createReceiver } from "../examples/receiver/receiver.ts";
import { expect, introduce, say, showPulumiOutput, startStep, steps } from "./demo-output.mts";
import { hermeticEnvironment } from "./pulumi-cli/environment.mts";
import { type PulumiCli, resolvePulumiCli } from "./pulumi-cli/resolve.mts";

const exampleProgram = join(import.meta.dirname, "../examples/basic/index.ts");
const producerName = "dbwebhooks-basic";
const consumerName = "dbwebhooks-consumer";
const stackName = "demo";
const otherSecret = "0".repeat(64);

const outputOptions = {
  onOutput: showPulumiOutput,
  color: "never",
  suppressProgress: true,
} as const;
const stopping = new AbortController();

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // The terminal also interrupts Pulumi, which then stops in an orderly way.
  process.on(signal, () => stopping.abort(new Error(`Stopped by ${signal}.`)));
}

try {
  introduce();
  await runDemo();
  process.stdout.write(
    "\nDone. The webhook, both stacks and the temporary directory are removed.\nNext: the quick start in README.md, or npm run serve for a local service that stays.\n",
  );
} catch (error) {
  const { message } = stopping.signal.aborted ? stopping.signal.reason : firstErrorOf(error);
  process.stderr.write(`\n${message}\n`);
  process.exitCode = stopping.signal.aborted ? 130 : 1;
}

async function runDemo(): Promise<void> {
  startStep(steps.findCli);
  const cli = await resolvePulumiCli({ say, signal: stopping.signal });
  say(`Pulumi ${cli.version} (${cli.source})`);

  startStep(steps.startServers);
  await using receiver = await startReceiver();
  // The program names a receiver at example.com, which must not get the notification.
  await using service = await startLocalService({ deliverTo: receiver.url });
  say(`The service listens at ${service.baseUrl}, the receiver at ${receiver.url}`);

  await runStacks(cli, service, receiver);
  expect(service.webhooks.length === 0, "The service holds no webhook any more.");
}

/**
 * Runs the steps that need a stack. At its end, also after an error, it removes the stacks and
 * their directory.
 */
async function runStacks(cli: PulumiCli, service: LocalService, receiver: Receiver): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "dbwebhooks-demo-"));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));

  applyEnvironment({
    ...(await hermeticEnvironment(directory)),
    ...cli.environment,
    // Pulumi leaves compiled programs among the temporary files, and logs if it is interrupted.
    TMPDIR: directory,
  });

  startStep(steps.create);
  const producer = await LocalWorkspace.createOrSelectStack(
    { stackName, workDir: directory },
    { projectSettings: { name: producerName, runtime: "nodejs", main: exampleProgram } },
  );
  cleanup.defer(() => destroy(producer));
  await producer.setAllConfig({
    "dbwebhooks:baseUrl": { value: service.baseUrl },
    "dbwebhooks:apiKey": { value: service.apiKey, secret: true },
  });
  const { ordersSecret: ownSecret } = await up(producer);
  const [webhook] = service.webhooks;
  expect(service.webhooks.length === 1, "The service holds exactly one webhook.");
  const state = await readFile(
    join(directory, "state/.pulumi/stacks", producerName, `${stackName}.json`),
    "utf8",
  );
  expect(
    webhook !== undefined && !state.includes(webhook.secret) && !state.includes(service.apiKey),
    "The state on disk holds neither the secret nor the API key in clear.",
  );

  await previewChange(producer, service, directory);
  await deliverEvents(service, receiver, ownSecret?.value);

  startStep(steps.share);
  const consumer = await createConsumer(directory);
  cleanup.defer(() => destroy(consumer));
  const { ordersSecret } = await up(consumer);
  expect(
    ordersSecret?.value === webhook?.secret && ordersSecret?.secret === true,
    "The second stack has the secret that the service issued, marked as a secret.",
  );

  startStep(steps.destroy);
}

/** Previews a change of the URL, which the service must not notice. */
async function previewChange(
  producer: Stack,
  service: LocalService,
  directory: string,
): Promise<void> {
  startStep(steps.change);
  await producer.workspace.saveProjectSettings({
    name: producerName,
    runtime: "nodejs",
    main: await writeChangedProgram(directory),
  });
  const { changeSummary } = await untilStopped(() => producer.preview(outputOptions));
  expect(
    changeSummary.replace === 1 && service.webhooks.length === 1,
    "The preview replaces one webhook, and the service still holds the first one.",
  );
}

/** Emits an event twice: the receiver first has the secret of the stack, and then another one. */
async function deliverEvents(
  service: LocalService,
  receiver: Receiver,
  ownSecret: string,
): Promise<void> {
  startStep(steps.emit);
  const statusCodeWith = async (secret: string) => {
    receiver.secrets[0] = secret;
    const { deliveries } = await service.emit({
      type: "record.created",
      databaseId: "base_abc123",
      tableId: "tbl_orders",
    });
    return deliveries[0]?.statusCode;
  };
  expect(
    (await statusCodeWith(ownSecret)) === 204 && receiver.events.length === 1,
    "The receiver verifies the notification with the secret from the stack, and gets the event.",
  );
  say(JSON.stringify(receiver.events[0]));
  expect(
    (await statusCodeWith(otherSecret)) === 401 && receiver.events.length === 1,
    "With another secret, it refuses the next notification.",
  );
}

/** Creates the second stack, whose program reads the secret of the first one. */
async function createConsumer(directory: string): Promise<Stack> {
  // Without this directory, Pulumi creates one for an inline program and leaves it behind.
  const workDir = await mkdtemp(join(directory, "consumer-"));
  return LocalWorkspace.createOrSelectStack(
    { stackName, projectName: consumerName, program: readSecret },
    { workDir },
  );
}

/** Writes the example with another URL into a directory that finds the same packages. */
async function writeChangedProgram(directory: string): Promise<string> {
  const changed = join(directory, "changed");
  await mkdir(changed);
  await symlink(join(import.meta.dirname, "../node_modules"), join(changed, "node_modules"));
  await writeFile(join(changed, "package.json"), "{}");
  const program = await readFile(exampleProgram, "utf8");
  await writeFile(join(changed, "index.ts"), program.replace("/hooks/orders", "/hooks/new-orders"));
  return join(changed, "index.ts");
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts the receiver of examples/receiver, with the secrets and for the events in two lists. */
async function startReceiver() {
  const secrets: string[] = [];
  const events: object[] = [];
  const onEvent = (event: object) => void events.push(event);
  const server = createReceiver({ secrets: () => secrets, onEvent });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const dispose = () => server[Symbol.asyncDispose]();
  return { url: `http://127.0.0.1:${port}`, secrets, events, [Symbol.asyncDispose]: dispose };
}

async function readSecret(): Promise<Record<string, pulumi.Output<unknown>>> {
  const producer = new pulumi.StackReference(`organization/${producerName}/${stackName}`);
  return { ordersSecret: producer.requireOutput("ordersSecret") };
}

async function up(stack: Stack): Promise<OutputMap> {
  const { outputs } = await untilStopped(() => stack.up(outputOptions));
  return outputs;
}

/** Runs a command of Pulumi, unless the demo is stopped before or meanwhile. */
async function untilStopped<Result>(command: () => Promise<Result>): Promise<Result> {
  stopping.signal.throwIfAborted();
  const result = await command();
  stopping.signal.throwIfAborted();
  return result;
}

async function destroy(stack: Stack): Promise<void> {
  const run = () => stack.destroy({ ...outputOptions, remove: true });
  // The first attempt fails if ^C reaches Pulumi while it runs.
  await run().catch(async () => {
    await stack.cancel().catch(() => undefined);
    await run();
  });
}

/** Returns the original error, which a later error of the cleanup holds in `suppressed`. */
function firstErrorOf(error: unknown): Error {
  return error instanceof SuppressedError ? firstErrorOf(error.suppressed) : (error as Error);
}

function applyEnvironment(changes: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) {
      delete process.env[name];
    } else {
      process.env[name] = value;
    }
  }
}
