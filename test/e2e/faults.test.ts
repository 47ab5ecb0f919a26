import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { errorsOfWebhooks, linesOfProvider, webhooksInState } from "../helpers/cli-output.mjs";
import {
  countAtService,
  expectRow,
  injectFaults,
  linesAbout,
  type Measurement,
  prepareDeletions,
  stateText,
} from "../helpers/faults/play.js";
import {
  createFaults,
  deleteFaults,
  type FaultRow,
  faults,
  rowSettings,
} from "../helpers/faults/rows.js";
import { javascriptProgram, javascriptProgramOfPlugin, type Program } from "../helpers/programs.js";
import { type TestStack, webhookArgs, withStack } from "../helpers/stack.js";

/** The same on the real CLI, and what is there at last, the fault being over. */
interface CliMeasurement extends Measurement {
  readonly end: { readonly isStored: boolean; readonly held: number };
}

type Environment = Readonly<Record<string, string>>;

const programs = [javascriptProgram, javascriptProgramOfPlugin];
const measured = new Map<Program, ReadonlyMap<FaultRow, CliMeasurement>>();

beforeAll(async () => {
  await Promise.all(
    programs.map(async (program) => measured.set(program, await playRows(program))),
  );
}, 600_000);

describe.each(programs)("A fault on the real CLI, through $name", (program) => {
  it.each(faults)("loses nothing: $on: $does: $sees", (row) => {
    const measurement = measured.get(program)?.get(row);

    expectRow(row, measurement);
    expect(measurement?.end).toEqual(
      row.on === "POST" ? { isStored: true, held: 1 } : { isStored: false, held: 0 },
    );
  });
});

/** Plays the creations in one `up`, and the deletions in a `destroy` for all that share settings. */
async function playRows(program: Program): Promise<ReadonlyMap<FaultRow, CliMeasurement>> {
  const service = await startLocalService({ listing: true });
  const results = new Map<FaultRow, CliMeasurement>();
  const useStack = async (stack: TestStack) => {
    await stack.configure(rowSettings);
    const environments = new Map<FaultRow["environment"], Environment>();
    for (const { environment } of faults.filter((row) => row.environment)) {
      environments.set(environment, (await environment?.(service)) ?? {});
    }
    const release = injectFaults(service, createFaults);
    await declare(program, stack, faults, environments);
    // The proxy is for all, and only what is not on loopback goes to it.
    const { HTTPS_PROXY = "" } = Object.assign({}, ...environments.values());
    const outputs = [await run(stack, "up", { HTTPS_PROXY })];
    await release();
    const counts = countsOf(service, createFaults);

    prepareDeletions(service, deleteFaults);
    injectFaults(service, deleteFaults);
    for (const [environment, rows] of Map.groupBy(deleteFaults, (row) => row.environment)) {
      outputs.push(await run(stack, "destroy", environments.get(environment), rows, program.type));
    }
    const laterCounts = countsOf(service, deleteFaults);

    const exported = await stack.pulumi(["stack", "export", "--show-secrets"]);
    const state = webhooksInState(exported.stdout);
    const ends = await repair(program, stack);
    const errors = Object.assign({}, ...outputs.map(errorsOfWebhooks));
    const lines = outputs.flatMap(linesOfProvider);
    for (const [row, count] of [...counts, ...laterCounts]) {
      const [webhook] = count.held;
      const atService = webhook && { id: program.idOf(webhook), secret: webhook.secret };
      results.set(row, {
        ...count,
        state: stateText(state[row.name]?.[0], atService),
        error: (errors[row.name] ?? []).join(" "),
        lines: linesAbout(row, lines),
        end: ends(row),
      });
    }
  };
  await withStack(useStack, { service, program });
  return results;
}

function countsOf(service: LocalService, rows: readonly FaultRow[]) {
  return rows.map((row) => [row, countAtService(service, row)] as const);
}

/** Declares a webhook for each row; a creation with settings of its own has a provider with those. */
async function declare(
  program: Program,
  stack: TestStack,
  all: readonly FaultRow[],
  environments: ReadonlyMap<FaultRow["environment"], Environment> = new Map(),
): Promise<void> {
  const { baseUrl, apiKey } = stack.service;
  const keyOf = ({ on, environment }: FaultRow) => (on === "POST" ? environment : undefined);
  const groups = [...Map.groupBy(all, keyOf)].map(([environment, rows], at) => ({
    name: `provider-${at}`,
    settings: environments.has(environment)
      ? { baseUrl, apiKey, ...settingsOf(environments.get(environment) ?? {}) }
      : undefined,
    webhooks: rows.map((row) => webhookArgs({ databaseId: row.name })),
  }));
  const entry = program === javascriptProgram ? "pulumi-dbwebhooks" : "pulumi-dbwebhooks/native";
  await stack.declareText(`
    const { Provider, Webhook } = require("${entry}");
    for (const { name, settings, webhooks } of ${JSON.stringify(groups)}) {
      const provider = settings && new Provider(name, settings);
      for (const args of webhooks) new Webhook(args.databaseId, args, { provider });
    }`);
}

/** Environment variables as a provider's arguments. */
function settingsOf(environment: Environment): Record<string, unknown> {
  const settings = Object.entries(environment).map(([variable, text]) => {
    const [, name = ""] = variable.split("DBWEBHOOKS_");
    const key = name.toLowerCase().replace(/_(.)/g, (_, letter) => letter.toUpperCase());
    const value = /^(\d+|true)$/.test(text) ? JSON.parse(text) : text;
    return [key, key.endsWith("Urls") ? [value] : value];
  });
  return Object.fromEntries(settings.filter(([key]) => key !== ""));
}

/** Ends the faults, deletes by hand what errors named, and says what the next `up` makes of a row. */
async function repair(program: Program, stack: TestStack) {
  const { service } = stack;
  service.clearFaults();
  const doubtful = createFaults.filter(({ outcome }) => outcome === "inDoubt");
  removeFrom(service, ({ databaseId }) => doubtful.some(({ name }) => name === databaseId));
  await declare(program, stack, createFaults);
  expect(await run(stack, "up")).toContain("Resources:");
  const resources = await stack.resources();
  const held = service.webhooks.map(({ databaseId }) => databaseId);
  // What the state does not know is to fail its row, not all of them.
  const known = Object.values(resources).map(({ id }) => id);
  removeFrom(service, (webhook) => !known.includes(program.idOf(webhook)));
  return ({ name }: FaultRow) => ({
    isStored: name in resources,
    held: held.filter((databaseId) => databaseId === name).length,
  });
}

function removeFrom(
  service: LocalService,
  isRemoved: (webhook: LocalService["webhooks"][number]) => boolean,
): void {
  for (const { id } of service.webhooks.filter(isRemoved)) {
    service.removeWebhook(id);
  }
}

async function run(
  { pulumi }: TestStack,
  command: "up" | "destroy",
  environment: Environment = {},
  targets: readonly FaultRow[] = [],
  type = "",
): Promise<string> {
  const flags = ["--yes", "--skip-preview", "--continue-on-error", "--parallel", "64"];
  const urns = targets.map(({ name }) => `--target=urn:pulumi:test::webhooks::${type}::${name}`);
  return (await pulumi([command, ...flags, ...urns], environment)).output;
}
