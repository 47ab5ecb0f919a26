import type { LocalService } from "pulumi-dbwebhooks/local-service";
import type { TestStack } from "../stack.ts";
import { Agreement } from "./agreement.ts";
import { diagnosticsOf } from "./cli-output.ts";
import {
  adoptionUnderNewName,
  changeOfOptions,
  type EditContext,
  editAtRandom,
  firstProgram,
} from "./edits.ts";
import { type Choose, choicesOf, isChosen } from "./random.ts";
import {
  finalDestroy,
  plainUp,
  randomCommand,
  runCommand,
  type WalkCommand,
  withoutRefresh,
} from "./random-command.ts";
import { injectRandomFault } from "./service-faults.ts";
import {
  editContext,
  hasMovedToOtherService,
  targetsOf,
  withoutAdoptionOfDeleted,
} from "./walk-context.ts";
import {
  textOfProgram,
  type WalkProgram,
  type WalkSettings,
  writeProgram,
} from "./walk-program.ts";

interface WalkOptions {
  /** The module from which the program takes its resources. */
  readonly entry: string;
  /** Another service, for the explicit provider `second`. */
  readonly second: LocalService;
  readonly settings: WalkSettings;
  readonly steps: number;
  readonly seed: number;
  readonly print: (line: string) => void;
}

/** Runs random commands of the CLI on random programs, and returns the contradictions that it found. */
export async function walk(stack: TestStack, options: WalkOptions): Promise<string[]> {
  const run = new Walk(stack, options);
  await run.start();
  for (let step = 1; step <= options.steps && !run.isStateInvalid; step++) {
    await run.takeStep(step);
  }
  if (!run.isStateInvalid) await run.end();
  return run.problems;
}

class Walk {
  readonly problems: string[] = [];
  /** Whether Pulumi has written a state that it cannot read. */
  isStateInvalid = false;
  readonly #stack: TestStack;
  readonly #options: WalkOptions;
  readonly #services: readonly LocalService[];
  readonly #agreement: Agreement;
  readonly #context: EditContext;
  #program: WalkProgram = [];
  #programBefore: WalkProgram = [];
  /** Whether the last command was a complete `up` without faults that succeeded. */
  #isUpToDate = false;
  /** Whether options have changed since then. */
  #hasChangedOptions = false;

  constructor(stack: TestStack, options: WalkOptions) {
    this.#stack = stack;
    this.#options = options;
    this.#services = [stack.service, options.second];
    this.#agreement = new Agreement(this.#services);
    this.#context = editContext(stack.service, options.second, this.#agreement);
  }

  async start(): Promise<void> {
    const { entry, settings, seed, print } = this.#options;
    const configuration = Object.entries(settings).map(([name, value]) => {
      return [`dbwebhooks:${name}`, String(value)] as const;
    });
    await this.#stack.configure(Object.fromEntries(configuration));
    await this.#stack.writeProgram(textOfProgram(entry));
    this.#program = firstProgram(choicesOf(seed, 0), this.#context);
    print(`seed ${seed}: ${JSON.stringify(this.#program)}`);
    await this.#run("step 0", plainUp);
  }

  async takeStep(step: number): Promise<void> {
    const choose = choicesOf(this.#options.seed, step);
    if (this.#isUpToDate && isChosen(choose, 5)) {
      await this.#run(`step ${step} (again)`, plainUp);
      const methods = this.#services.flatMap(({ requests }) =>
        requests.map(({ method }) => method),
      );
      if (methods.some((method) => method !== "GET")) {
        this.#addProblem(`step ${step}: the second of two "up" sends requests`);
      }
      return;
    }
    const existing = withoutAdoptionOfDeleted(this.#program, this.#agreement);
    const { program, edits } = await editAtRandom(choose, existing, this.#context);
    this.#program = program;
    const title = `step ${step} (${edits.join(", ") || "no edit"})`;
    if (edits.includes(adoptionUnderNewName)) {
      await this.#run(title, plainUp);
      return;
    }
    const targets = targetsOf(program, this.#programBefore, this.#agreement);
    const command = randomCommand(choose, targets);
    this.#hasChangedOptions ||= edits.includes(changeOfOptions);
    // A refresh that runs the program replaces a webhook twice at once, as a former dependent and for itself, and
    // Pulumi 3.259 then writes an invalid state.
    const mayRefresh =
      !this.#hasChangedOptions &&
      !hasMovedToOtherService(program, this.#agreement, this.#options.second);
    const mayFail = !command.isInterrupted && isChosen(choose, 20);
    const chooseFault = mayFail ? choose : undefined;
    await this.#run(title, mayRefresh ? command : withoutRefresh(command), chooseFault);
  }

  async end(): Promise<void> {
    await this.#run("end", finalDestroy);
    if (this.#agreement.inState.length > 0) {
      this.#addProblem("the last destroy leaves webhooks in the state");
    }
  }

  /** Runs a command, with a fault of the services if it may choose one, and checks what it left. */
  async #run(title: string, command: WalkCommand, chooseFault?: Choose): Promise<void> {
    const [service, second] = this.#services as [LocalService, LocalService];
    const services = { same: service, second };
    const { print, settings } = this.#options;
    await writeProgram(this.#stack.directory, this.#program, services, settings);
    for (const each of this.#services) each.clearRequests();
    // With this flag, Pulumi 3.259 waits for ever after a failed deletion before a replacement.
    const isOfCreationsOnly = command.args.includes("--continue-on-error");
    const fault = chooseFault && injectRandomFault(chooseFault, this.#services, isOfCreationsOnly);
    const { exitCode, output } = await runCommand(this.#stack, command, this.#services);
    fault?.remove();
    const { stdout: exported } = await this.#stack.pulumi(["stack", "export", "--show-secrets"]);

    const problems = this.#agreement.check({ output, exported, program: this.#program });
    const errors = diagnosticsOf(output).filter(({ kind }) => kind !== undefined);
    // The CLI itself refuses some commands with --target, because of a resource that they leave out.
    const isRefusedByCli = command.args.includes("--target") && errors.length === 0;
    // The user has to remove `adopt` before a replacement.
    const isAdopting = (name: string) =>
      this.#program.some((one) => one.name === name && one.adopt);
    const isRefusedByProvider =
      errors.length > 0 &&
      errors.every(({ name, kind }) => kind === "unchanged" && isAdopting(name));
    const isRefused = isRefusedByCli || isRefusedByProvider;
    const mayFail = fault !== undefined || command.isInterrupted || isRefused;
    if (exitCode !== 0 && !mayFail) problems.push(`exit code ${exitCode}`);
    this.#isUpToDate = exitCode === 0 && fault === undefined && command.isCompleteUp;
    if (this.#isUpToDate) this.#hasChangedOptions = false;
    this.isStateInvalid = output.includes("snapshot integrity failure");

    const words = `${command.isInterrupted ? "interrupted " : ""}${wordsOf(command)}`;
    print(
      [
        `${title}: ${words}${fault ? ` with fault "${fault.name}"` : ""}`,
        `exit code ${exitCode}`,
        requestsOf(this.#services),
        ...errors.map(({ name, kind }) => `${name} ${kind}`),
      ].join("; "),
    );
    for (const problem of problems) {
      this.#addProblem(`${title}: ${words}: ${problem}`);
    }
    if (problems.length > 0) {
      print(`before: ${JSON.stringify(this.#programBefore)}`);
      print(`after: ${JSON.stringify(this.#program)}\n${output}`);
    }
    this.#programBefore = this.#program;
  }

  #addProblem(problem: string): void {
    this.problems.push(`seed ${this.#options.seed}, ${problem}`);
    this.#options.print(`VIOLATED: ${problem}`);
  }
}

/** Shortens URNs to names. */
function wordsOf({ args }: WalkCommand): string {
  return args.map((arg) => arg.split("::").at(-1)).join(" ");
}

function requestsOf(services: readonly LocalService[]): string {
  const requests = services.flatMap((service) => service.requests);
  const changing = requests.filter(({ method }) => method !== "GET");
  const words = changing.map(({ method, webhookId = "", statusCode = "no response" }) =>
    `${method} ${webhookId} ${statusCode}`.replace("  ", " "),
  );
  return words.join(", ") || "no requests";
}
