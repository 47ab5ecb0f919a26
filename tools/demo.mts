// `npm start`: demonstrates this package with the real Pulumi CLI, without an account.
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as pulumi from "@pulumi/pulumi";
import {
  LocalWorkspace,
  type OutputMap,
  type PreviewResult,
  type Stack,
} from "@pulumi/pulumi/automation/index.js";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { Webhook } from "standardwebhooks";
import { steps } from "./demo-steps.mts";
import { hermeticEnvironment } from "./pulumi-cli/environment.mts";
import { type PulumiCli, resolvePulumiCli } from "./pulumi-cli/resolve.mts";

const exampleProgram = join(import.meta.dirname, "../examples/basic/index.ts");
const producerName = "dbwebhooks-basic";
const consumerName = "dbwebhooks-consumer";
const stackName = "demo";
const otherSecret = `whsec_${Buffer.alloc(32).toString("base64")}`;

const stepTitles = Object.values(steps);
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
  process.stdout.write(`This shows the package at work with the real Pulumi CLI. It needs no account and runs
on this machine only, in a temporary directory. The steps:

${stepTitles.map((title, index) => `    ${index + 1}. ${title}`).join("\n")}

Lines that start with | come from Pulumi.
`);
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

  applyEnvironment({ ...(await hermeticEnvironment(directory)), ...cli.environment });

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

  startStep(steps.change);
  await producer.workspace.saveProjectSettings({
    name: producerName,
    runtime: "nodejs",
    main: await writeChangedProgram(directory),
  });
  const { changeSummary } = await preview(producer);
  expect(
    changeSummary.replace === 1 && service.webhooks.length === 1,
    "The preview replaces one webhook, and the service still holds the first one.",
  );

  startStep(steps.emit);
  const { deliveries } = await service.emit({
    type: "record.created",
    databaseId: "base_abc123",
    tableId: "tbl_orders",
  });
  const [delivery] = deliveries;
  const [notification] = receiver.notifications;
  say(`POST ${notification?.path} with ${notification?.rawBody}`);
  expect(
    delivery?.delivered === true && receiver.notifications.length === 1,
    "The receiver got the event once.",
  );
  expect(
    notification !== undefined && isSignedWith(ownSecret?.value, notification),
    "The secret from the stack's outputs verifies its signature (Standard Webhooks).",
  );
  expect(
    notification !== undefined && !isSignedWith(otherSecret, notification),
    "Another secret does not.",
  );

  startStep(steps.share);
  // Without this directory, Pulumi creates one for an inline program and leaves it behind.
  const consumerDirectory = await mkdtemp(join(directory, "consumer-"));
  const consumer = await LocalWorkspace.createOrSelectStack(
    { stackName, projectName: consumerName, program: readSecret },
    { workDir: consumerDirectory },
  );
  cleanup.defer(() => destroy(consumer));
  const { ordersSecret } = await up(consumer);
  expect(
    ordersSecret?.value === webhook?.secret && ordersSecret?.secret === true,
    "The second stack has the secret that the service issued, marked as a secret.",
  );

  startStep(steps.destroy);
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

interface Notification {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: string;
}

/** A receiver that records every notification and accepts it. */
interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly notifications: readonly Notification[];
}

async function startReceiver(): Promise<Receiver> {
  const notifications: Notification[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = "", headers } = request;
    notifications.push({ path, headers, rawBody: await text(request) });
    response.writeHead(204).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    notifications,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function isSignedWith(secret: string, { rawBody, headers }: Notification): boolean {
  try {
    new Webhook(secret).verify(rawBody, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

async function readSecret(): Promise<Record<string, pulumi.Output<unknown>>> {
  const producer = new pulumi.StackReference(`organization/${producerName}/${stackName}`);
  return { ordersSecret: producer.requireOutput("ordersSecret") };
}

async function up(stack: Stack): Promise<OutputMap> {
  stopping.signal.throwIfAborted();
  const { outputs } = await stack.up(outputOptions);
  stopping.signal.throwIfAborted();
  return outputs;
}

async function preview(stack: Stack): Promise<PreviewResult> {
  stopping.signal.throwIfAborted();
  const result = await stack.preview(outputOptions);
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

function startStep(title: string): void {
  const number = stepTitles.indexOf(title) + 1;
  process.stdout.write(`\n[${number} of ${stepTitles.length}] ${title}\n`);
}

function say(line: string): void {
  process.stdout.write(`    ${line}\n`);
}

function showPulumiOutput(output: string): void {
  process.stdout.write(output.replace(/^(?=.)/gm, "    | "));
}

function expect(holds: boolean, fact: string): void {
  if (!holds) {
    throw new Error(`This does not hold: ${fact}`);
  }
  say(fact);
}
