import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { errorsOf } from "../cli-output.ts";
import { type RecordedRequest, recordRequests } from "../recorder.mts";
import type { TestStack } from "../stack.ts";
import { template } from "../stack-template.ts";
import { Agreement } from "./agreement.ts";
import { editAtRandom, firstProgram } from "./edits.ts";
import { type Choose, choicesOf, isChosen } from "./random.ts";
import {
  destroy,
  isCompleteUp,
  plainUp,
  randomCommand,
  replacingUp,
  runCommand,
  type WalkCommand,
  wordsOf,
} from "./random-command.ts";
import { type InjectedFault, injectRandomFault, keepOneWebhookPerUrl } from "./service-faults.ts";
import {
  type Entry,
  entries,
  type ProviderName,
  textOfProgram,
  type WalkProgram,
  writeProgram,
} from "./walk-program.ts";

export interface WalkOptions {
  /**
   * The service of the default provider and of the Provider `same`, and that of the Provider
   * `second`.
   */
  readonly services: readonly [LocalService, LocalService];
  /** The key of each Provider. */
  readonly apiKeys: Readonly<Record<ProviderName, string>>;
  /** The setting of every provider; `undefined` leaves it out. */
  readonly listing: boolean | undefined;
  readonly steps: number;
  readonly seed: number;
  readonly print: (line: string) => void;
}

/**
 * Runs random commands of the CLI on random programs, and returns the contradictions that it found.
 */
export async function walk(stack: TestStack, options: WalkOptions): Promise<string[]> {
  const session = new Walk(stack, options);
  await session.start();
  for (let step = 1; step <= options.steps && !session.isStateInvalid; step++) {
    await session.step(`step ${step}`, choicesOf(options.seed, step));
  }
  if (!session.isStateInvalid) {
    await session.end();
  }
  return session.problems;
}

class Walk {
  readonly problems: string[] = [];
  /** Whether Pulumi has written a state that it cannot read. */
  isStateInvalid = false;
  readonly #stack: TestStack;
  readonly #options: WalkOptions;
  readonly #agreement: Agreement;
  #program: WalkProgram = [];
  /** The module from which the program takes its resources. */
  #entry: Entry;
  /** Whether the last command was a complete `up` without a fault. */
  #isUpToDate = false;
  /**
   * Whether a refresh may run the program: no edit since the last complete `up` speaks against it.
   */
  #allowsRefresh = true;
  #number = 0;
  /** The requests of the last command, by service. */
  #requests: readonly (readonly RecordedRequest[])[] = [];

  constructor(stack: TestStack, options: WalkOptions) {
    const { services, apiKeys, listing } = options;
    this.#stack = stack;
    this.#options = options;
    // Both are the first one of some seeds.
    this.#entry = entries[options.seed % 2] as Entry;
    const keys = [template.apiKey, ...Object.values(apiKeys)];
    this.#agreement = new Agreement(services, keys, listing === false);
  }

  async start(): Promise<void> {
    const { seed, print } = this.#options;
    const settings = Object.entries(this.#settings);
    await this.#stack.configure(
      Object.fromEntries(settings.map(([name, value]) => [`dbwebhooks:${name}`, String(value)])),
    );
    this.#program = firstProgram(choicesOf(seed, 0), this.#nextNumber);
    print(`seed ${seed}, ${this.#entry}: ${JSON.stringify(this.#program)}`);
    await this.#run("step 0", plainUp);
  }

  async step(title: string, choose: Choose): Promise<void> {
    const { services } = this.#options;
    const { urns } = this.#agreement;
    if (this.#isUpToDate && isChosen(choose, 10)) {
      this.#move();
      await this.#run(`${title} (move to ${this.#entry})`, plainUp);
      if (this.#changes().length > 0) {
        this.#addProblem(`${title}: a move changes webhooks`);
      }
    } else if (this.#isUpToDate && isChosen(choose, 4)) {
      await this.#run(title, plainUp);
      if (this.#changes().length > 0) {
        this.#addProblem(`${title}: a second "up" changes webhooks`);
      }
    } else if (this.#isUpToDate && isChosen(choose, 6)) {
      // Nothing else is to be done, because another error would leave both entries of a webhook in
      // the state.
      await this.#run(title, replacingUp(choose, urns), keepOneWebhookPerUrl(services));
    } else {
      const { program, names, allowsRefresh } = editAtRandom(
        choose,
        this.#program,
        this.#nextNumber,
      );
      this.#program = program;
      if (isChosen(choose, 15)) {
        this.#move();
        names.push(`move to ${this.#entry}`);
      }
      this.#allowsRefresh &&= allowsRefresh;
      const command = randomCommand(choose, urns, this.#allowsRefresh);
      // With this flag, Pulumi 3.259 waits for ever after a failed deletion before a replacement.
      const isOfCreationsOnly = command.args.includes("--continue-on-error");
      const fault =
        isChosen(choose, 30) && !command.isInterrupted
          ? injectRandomFault(choose, services, isOfCreationsOnly)
          : undefined;
      await this.#run(`${title} (${names.join(", ") || "no edit"})`, command, fault);
    }
  }

  async end(): Promise<void> {
    await this.#run("end", destroy);
    if (!this.#agreement.isStateEmpty) {
      this.#addProblem("the last destroy leaves webhooks");
    }
  }

  /** Runs a command, and checks what it left. */
  async #run(title: string, command: WalkCommand, fault?: InjectedFault): Promise<void> {
    const { services, print } = this.#options;
    const { args } = command;
    const program = this.#program;
    await this.#writeProgram();
    const recorders = services.map((service) => recordRequests(service));
    const { exitCode, output } = await runCommand(this.#stack, command, services);
    fault?.remove();
    recorders.forEach(({ stop }) => void stop());
    this.#requests = recorders.map(({ requests }) => requests);
    const { stdout: exported } = await this.#stack.pulumi(["stack", "export", "--show-secrets"]);
    const storedText = await this.#stack.storedText();

    const errors = errorsOf(output);
    const words = `${title}: ${wordsOf(command)}${fault ? ` with "${fault.name}"` : ""}`;
    const kinds = errors.map(({ name, kind = "(no kind)" }) => `${name} ${kind}`);
    print([words, `exit code ${exitCode}`, ...this.#changes(), ...kinds].join("; "));
    const requests = this.#requests;
    const ended = { args, program, output, exported, storedText, requests };
    const problems = this.#agreement.check(ended);
    // The CLI itself refuses some commands with --target, because of a resource that they leave
    // out.
    const isRefused = args.includes("--target") && errors.every(({ kind }) => kind === undefined);
    const mayFail = fault !== undefined || command.isInterrupted || isRefused;
    if (exitCode !== 0 && !mayFail) {
      problems.push(`exit code ${exitCode}`);
    }
    const isReadOnly = args[0] === "preview" || args[0] === "refresh";
    if (isReadOnly && this.#changes().length > 0) {
      problems.push("sends creations or deletions");
    }
    for (const problem of problems) {
      this.#addProblem(`${words}: ${problem}`);
    }
    if (problems.length > 0) {
      print(`${JSON.stringify(program)}\n${output}`);
    }
    this.#isUpToDate = exitCode === 0 && fault === undefined && isCompleteUp(command);
    this.#allowsRefresh ||= this.#isUpToDate;
    this.isStateInvalid ||= output.includes("snapshot integrity failure");
  }

  /** Returns the requests of the last command that change something, in words. */
  #changes(): string[] {
    return this.#requests.flatMap((requests, index) =>
      requests
        .filter(({ method }) => method !== "GET")
        .map(({ method, webhookId = "", statusCode }) => {
          return `${method} ${webhookId} ${statusCode || "lost"} at service ${index + 1}`;
        }),
    );
  }

  get #settings() {
    const { listing } = this.#options;
    return { retrySeconds: 3, ...(listing !== undefined && { listing }) };
  }

  readonly #nextNumber = () => {
    this.#number += 1;
    return this.#number;
  };

  /** Takes the resources from the other provider. */
  #move(): void {
    this.#entry = entries.find((one) => one !== this.#entry) as Entry;
  }

  async #writeProgram(): Promise<void> {
    await this.#stack.writeProgram(textOfProgram(this.#entry));
    const [first, second] = this.#options.services;
    const { apiKeys } = this.#options;
    const settings = this.#settings;
    await writeProgram(this.#stack.directory, this.#program, {
      same: { baseUrl: first.baseUrl, apiKey: apiKeys.same, ...settings },
      second: { baseUrl: second.baseUrl, apiKey: apiKeys.second, ...settings },
    });
  }

  #addProblem(problem: string): void {
    this.problems.push(`seed ${this.#options.seed}, ${problem}`);
    this.#options.print(`VIOLATED: ${problem}`);
  }
}
