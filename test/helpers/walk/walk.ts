import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { createWebhook } from "../local-service.ts";
import type { TestStack } from "../stack.ts";
import { Agreement } from "./agreement.ts";
import { diagnosticsOf } from "./cli-output.ts";
import { type EditContext, editAtRandom, firstProgram } from "./edits.ts";
import { choicesOf, isChosen } from "./random.ts";
import { finalDestroy, plainUp, randomCommand, type WalkCommand } from "./random-command.ts";
import { holdCreations, injectRandomFault } from "./service-faults.ts";
import { textOfProgram, type WalkProgram, writeProgram } from "./walk-program.ts";

interface WalkOptions {
  /** The module from which the program takes its resources. */
  readonly entry: string;
  /** Another service, for the explicit provider `second`. */
  readonly second: LocalService;
  readonly steps: number;
  readonly seed: number;
  readonly print: (line: string) => void;
}

/** Runs random commands of the CLI on random programs, and returns the contradictions that it found. */
export async function walk(stack: TestStack, options: WalkOptions): Promise<string[]> {
  const { entry, second, steps, seed, print } = options;
  const services = [stack.service, second];
  const agreement = new Agreement(services);
  const context = contextOf(stack, second, agreement);
  const problems: string[] = [];
  let program: WalkProgram = [];
  /** Whether the last command was a complete `up` without faults that succeeded. */
  let isUpToDate = false;

  const run = async (title: string, command: WalkCommand, fault?: FaultChoice) => {
    await writeProgram(stack.directory, program, { same: stack.service, second });
    for (const service of services) service.clearRequests();
    const injected = fault && injectRandomFault(fault.choose, services);
    const { exitCode, output } = await runCommand(stack, services, command);
    injected?.remove();
    const exported = await stack.pulumi(["stack", "export", "--show-secrets"]);
    const found = agreement.check({ output, exported: exported.stdout, program });
    const mayFail = injected !== undefined || command.isInterrupted || isLimited(command, output);
    if (exitCode !== 0 && !mayFail) found.push(`exit code ${exitCode}`);
    const words = command.args.map((arg) => arg.split("::").at(-1)).join(" ");
    const line = [
      `${title}: ${command.isInterrupted ? "interrupted " : ""}${words}`,
      ...(injected ? [`fault: ${injected.name}`] : []),
      `exit code ${exitCode}`,
      requestsOf(services),
      ...diagnosticsOf(output).map(({ name, kind = "warning" }) => `${name} ${kind}`),
    ].join("; ");
    print(line);
    for (const problem of found) {
      problems.push(`seed ${seed}, ${title}: ${words}: ${problem}`);
      print(`  VIOLATED: ${problem}`);
    }
    if (found.length > 0) print(`${JSON.stringify(program)}\n${output}`);
    isUpToDate = exitCode === 0 && !injected && command.args[0] === "up" && !isPartial(command);
    return found;
  };

  await stack.writeProgram(textOfProgram(entry));
  program = firstProgram(choicesOf(seed, 0), context);
  print(`seed ${seed}: ${JSON.stringify(program)}`);
  await run("step 0", plainUp);
  for (let step = 1; step <= steps; step++) {
    const choose = choicesOf(seed, step);
    if (isUpToDate && isChosen(choose, 15)) {
      await run(`step ${step} (nothing changed)`, plainUp);
      const changing = services.flatMap(({ requests }) => requests).map(({ method }) => method);
      if (changing.length > 0) {
        problems.push(`seed ${seed}, step ${step}: a repeated up sends ${changing.join(", ")}`);
        print(`  VIOLATED: ${problems.at(-1)}`);
      }
      continue;
    }
    // A user does not adopt a webhook that no longer exists.
    program = program.map((webhook) => {
      const { adopt } = webhook;
      const isGone = adopt !== undefined && !agreement.hasWebhook(adopt.id, adopt.secret);
      return isGone ? { ...webhook, adopt: undefined } : webhook;
    });
    const edited = await editAtRandom(choose, program, context);
    program = edited.program;
    const urns = agreement.inState
      .filter(({ isPendingDeletion }) => !isPendingDeletion)
      .map(({ urn }) => urn);
    const command = randomCommand(choose, urns);
    const hasFault = !command.isInterrupted && isChosen(choose, 25);
    const title = `step ${step} (${edited.edits.join(", ") || "no edit"})`;
    await run(title, command, hasFault ? { choose } : undefined);
  }
  await run("end", finalDestroy);
  if (agreement.inState.length > 0)
    problems.push(`seed ${seed}: destroy leaves webhooks in the state`);
  return problems;
}

interface FaultChoice {
  readonly choose: ReturnType<typeof choicesOf>;
}

function contextOf(stack: TestStack, second: LocalService, agreement: Agreement): EditContext {
  let count = 0;
  return {
    nextNumber: () => {
      count += 1;
      return count;
    },
    createByHand: async ({ databaseId, host, events, provider }) => {
      const service = provider === "second" ? second : stack.service;
      const body = { url: `https://${host}/by-hand`, events };
      const { json } = await createWebhook(service, { databaseId, body });
      agreement.addUnmanaged(service.baseUrl, json.id);
      return { id: json.id, secret: json.secret };
    },
  };
}

async function runCommand(
  stack: TestStack,
  services: readonly LocalService[],
  { args, isInterrupted }: WalkCommand,
) {
  if (!isInterrupted) return stack.pulumi(args);
  const { held, release } = holdCreations(services);
  const running = stack.start(args);
  const hasCreation = await Promise.race([held.then(() => true), running.result.then(() => false)]);
  if (hasCreation) {
    process.kill(-Number(running.child.pid), "SIGINT");
    while (running.child.exitCode === null && !/cancell?ing/i.test(running.output())) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  release();
  return running.result;
}

/** Whether the CLI itself refuses a command with `--target`, because of a resource that it leaves out. */
function isLimited(command: WalkCommand, output: string): boolean {
  return command.args.includes("--target") && !diagnosticsOf(output).some(({ kind }) => kind);
}

function isPartial({ args, isInterrupted }: WalkCommand): boolean {
  return isInterrupted || args.includes("--target");
}

function requestsOf(services: readonly LocalService[]): string {
  const requests = services.flatMap((service) => service.requests);
  return (
    requests
      .map(({ method, webhookId, statusCode }) => `${method} ${webhookId ?? ""} ${statusCode}`)
      .join(", ") || "no requests"
  );
}
