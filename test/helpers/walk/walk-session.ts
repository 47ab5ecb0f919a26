import type { TestStack } from "../stack.ts";
import {
  type Accounts,
  apiKeys,
  configurationOf,
  firstAccounts,
  variablesOf,
  type WalkServices,
} from "./accounts.ts";
import { AddressRules } from "./address-rules.ts";
import { Agreement } from "./agreement.ts";
import { type Diagnostic, diagnosticsOf } from "./cli-output.ts";
import type { EditContext } from "./edits.ts";
import { problemsOfKeys } from "./key-rules.ts";
import type { Choose } from "./random.ts";
import { runCommand, type WalkCommand } from "./random-command.ts";
import { injectRandomFault } from "./service-faults.ts";
import { Situation } from "./situation.ts";
import { changingRequestsOf, wordsOf, wordsOfRequests } from "./step-words.ts";
import { editContext } from "./walk-context.ts";
import {
  declaredProviders,
  type ProviderName,
  providerNames,
  type WalkProgram,
  type WalkSettings,
  writeProgram,
} from "./walk-program.ts";

export interface WalkOptions {
  /** The module from which the program takes its resources. */
  readonly entry: string;
  readonly services: WalkServices;
  readonly settings: WalkSettings;
  readonly steps: number;
  readonly seed: number;
  readonly print: (line: string) => void;
}

interface RunOptions {
  /** Chooses a fault of the services. */
  readonly chooseFault?: Choose | undefined;
  /** The webhook that two resources adopt, so that the command must fail. The step checks how. */
  readonly adoptedTwice?: number | undefined;
}

/** A command that has ended. */
interface Outcome {
  readonly isSuccess: boolean;
  /** Whether it has failed because of an address. */
  readonly isRefused: boolean;
  /** The errors of webhooks. */
  readonly errors: readonly Diagnostic[];
  /** Whether the command has sent a creation or a deletion. */
  readonly hasChanged: boolean;
  /** The ids of the webhooks whose deletion was sent. */
  readonly deletedIds: readonly (string | undefined)[];
}

/** The stack, the program and the accounts of a walk, and the contradictions that it has found. */
export class WalkSession {
  readonly problems: string[] = [];
  readonly options: WalkOptions;
  readonly agreement: Agreement;
  readonly context: EditContext;
  program: WalkProgram = [];
  programBefore: WalkProgram = [];
  accounts: Accounts;
  /** Whether the program declares the Providers that no webhook of it uses, too. */
  declaresAllProviders = false;
  /** Whether Pulumi has written a state that it cannot read. */
  isStateInvalid = false;
  /** Whether the last command was a complete `up` without faults that succeeded. */
  isUpToDate = false;
  /**
   * Whether options have changed since then: a refresh that runs the program then replaces a webhook twice at once, as
   * a former dependent and for itself, and Pulumi 3.259 writes an invalid state.
   */
  hasChangedOptions = false;
  readonly #stack: TestStack;
  /** The accounts that Pulumi may have stored. */
  #storedAccounts: readonly Accounts[] = [];

  constructor(stack: TestStack, options: WalkOptions) {
    const { services } = options;
    this.#stack = stack;
    this.options = options;
    this.accounts = firstAccounts(services);
    const keys = [...apiKeys.first, ...apiKeys.second];
    this.agreement = new Agreement([services.first, services.second], keys);
    this.context = editContext(services, this.agreement);
  }

  get declaredProviders(): readonly ProviderName[] {
    return this.declaresAllProviders ? providerNames : declaredProviders(this.program);
  }

  /** Runs a command, and checks what it left. */
  async run(
    title: string,
    command: WalkCommand,
    { chooseFault, adoptedTwice }: RunOptions = {},
  ): Promise<Outcome> {
    const { services, settings } = this.options;
    const both = [services.first, services.second];
    const situation = new Situation({
      command,
      program: this.program,
      declared: this.declaredProviders,
      inState: this.agreement.inState,
      services,
      accounts: this.accounts,
      storedAccounts: this.#storedAccounts,
    });
    const rules = new AddressRules(situation);
    await this.#write(settings);
    for (const service of both) service.clearRequests();
    // With this flag, Pulumi 3.259 waits for ever after a failed deletion before a replacement.
    const isOfCreationsOnly = command.args.includes("--continue-on-error");
    const fault = chooseFault && injectRandomFault(chooseFault, both, isOfCreationsOnly);
    const result = await runCommand(this.#stack, command, both, variablesOf(this.accounts));
    fault?.remove();
    const { exitCode, output } = result;
    const { stdout: exported } = await this.#stack.pulumi(["stack", "export", "--show-secrets"]);

    const { program } = this;
    const problems = this.agreement.check({ output, exported, program, adoptedTwice });
    problems.push(...problemsOfKeys(situation));
    const diagnostics = diagnosticsOf(output).filter(({ severity }) => severity === "error");
    const errors = diagnostics.filter(({ kind }) => kind !== undefined);
    const hasReason = fault !== undefined || command.isInterrupted || adoptedTwice !== undefined;
    if (!hasReason) problems.push(...rules.problems(exitCode, errors));
    const isExplained = this.#isExplained(command, errors, rules);
    if (exitCode !== 0 && !hasReason && !isExplained) problems.push(`exit code ${exitCode}`);
    const isSuccess = exitCode === 0 && fault === undefined;
    this.isUpToDate = isSuccess && command.isCompleteUp;
    if (this.isUpToDate) this.hasChangedOptions = false;
    this.#noteAccounts(command);
    this.isStateInvalid ||= output.includes("snapshot integrity failure");

    const words = wordsOf(command);
    const line = [
      `${title}: ${words}${fault ? ` with fault "${fault.name}"` : ""}`,
      `exit code ${exitCode}`,
      wordsOfRequests(both),
      ...diagnostics.map(({ name, kind = "(no kind)" }) => `${name} ${kind}`),
    ];
    this.options.print(line.join("; "));
    for (const problem of problems) this.addProblem(`${title}: ${words}: ${problem}`);
    if (problems.length > 0) this.#printDetails(output);
    this.programBefore = this.program;
    const changing = changingRequestsOf(both);
    return {
      isSuccess,
      isRefused: !hasReason && errors.some((error) => rules.explains(error)),
      errors: diagnostics,
      hasChanged: changing.length > 0,
      deletedIds: changing
        .filter(({ method }) => method === "DELETE")
        .map(({ webhookId }) => webhookId),
    };
  }

  addProblem(problem: string): void {
    this.problems.push(`seed ${this.options.seed}, ${problem}`);
    this.options.print(`VIOLATED: ${problem}`);
  }

  #isExplained(command: WalkCommand, errors: readonly Diagnostic[], rules: AddressRules): boolean {
    // The CLI itself refuses some commands with --target, because of a resource that they leave out.
    if (errors.length === 0)
      return command.args.includes("--target") || rules.explainsProviderError;
    // The user has to remove `adopt` before a replacement.
    const isAdopting = (name: string) => this.program.some((one) => one.name === name && one.adopt);
    return errors.every(
      (error) => (error.kind === "unchanged" && isAdopting(error.name)) || rules.explains(error),
    );
  }

  #noteAccounts({ args }: WalkCommand): void {
    const mayStore = args[0] === "up" || args.includes("--run-program");
    if (this.isUpToDate) this.#storedAccounts = [this.accounts];
    else if (mayStore) this.#storedAccounts = [...this.#storedAccounts, this.accounts];
  }

  async #write(settings: WalkSettings): Promise<void> {
    const { explicit } = this.accounts;
    const providers = Object.fromEntries(
      this.declaredProviders.map((name) => [name, { ...explicit[name], ...settings }]),
    );
    await this.#stack.configure(configurationOf(this.accounts));
    await writeProgram(this.#stack.directory, this.program, providers);
  }

  #printDetails(output: string): void {
    this.options.print(`before: ${JSON.stringify(this.programBefore)}`);
    this.options.print(`after: ${JSON.stringify(this.program)}\n${output}`);
  }
}
