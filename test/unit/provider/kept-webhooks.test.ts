import { describe, expect, it } from "vitest";
import { listed, secret, someArgs, unknownMarkers } from "../../helpers/builders.ts";
import { errorOf } from "../../helpers/errors.ts";
import { startWithService } from "../../helpers/provider-with-service.ts";

type Run = Awaited<ReturnType<typeof startRun>>;
type Step = (run: Run) => Promise<unknown>;

const otherArgs = someArgs({ url: "https://example.com/other" });
const [first, second] = [{ urn: "urn:first" }, { urn: "urn:second" }];

/** Starts a provider of a service that has webhook 17. Each creation gets this id and secret. */
async function startRun(id = 99, newSecret: unknown = secret) {
  // The response to every request: a creation reads the id and the secret, a deletion `success`, a
  // list the rest.
  const body = { id, secret: newSecret, success: true, webhooks: [listed()] };
  const environment = { DBWEBHOOKS_IMPORT: JSON.stringify({ 17: { ...someArgs(), secret } }) };
  const run = await startWithService({ body }, { listing: "true" }, { environment });
  return {
    ...run,
    compare: (options = {}, args = someArgs()) => run.diff("17", run.state, args, options),
    importWebhook: () => run.import("17"),
    remove: (options = {}) => run.delete("17", run.state, options),
    isDeleted: () => run.methods().includes("DELETE"),
  };
}

// Pulumi compares what it deletes a moment later, so no comparison of a resource protects its own
// webhook.
describe("A deletion reaches the webhook when", () => {
  it.each<[string, Step]>([
    ["its resource changes", ({ compare }) => compare(first, otherArgs)],
    ["its resource was compared and is unchanged", ({ compare }) => compare(first)],
    [
      "its resource was compared with a value that is not known yet",
      ({ compare }) => compare(first, someArgs({ url: unknownMarkers.string })),
    ],
    [
      "another resource was compared with it and differs",
      ({ compare }) => compare(second, otherArgs),
    ],
    ["Pulumi does not say which resource was compared", ({ compare }) => compare()],
    [
      "another resource was compared with it before its own",
      async ({ compare }) => [await compare(second), await compare(first)],
    ],
    ["a refresh has read it", ({ read, state }) => read("17", state)],
    ["its replacement was created", ({ create }) => create(someArgs())],
  ])("%s", async (_case, prepare) => {
    const run = await startRun();
    await prepare(run);

    await run.remove(first);

    expect(run.isDeleted()).toBe(true);
  });

  it("a creation got it with an unusable secret, so that no new resource has it", async () => {
    const run = await startRun(17, false);
    await errorOf(run.create(someArgs()));

    await run.remove(first);

    expect(run.isDeleted()).toBe(true);
  });
});

describe("A deletion is not sent", () => {
  it.each<[string, Step]>([
    ["imported", ({ importWebhook }) => importWebhook()],
    [
      "imported and then compared",
      async ({ importWebhook, compare }) => [await importWebhook(), await compare(second)],
    ],
    // Pulumi compares nothing that --replace names, so the id is not known from the state.
    ["created, as in a forced replacement", ({ create }) => create(someArgs())],
  ])("and counts as done, with a warning, when this command has %s the webhook", async (_, act) => {
    const run = await startRun(17);
    await act(run);

    await run.remove();

    expect(run.isDeleted()).toBe(false);
    expect(run.lines.at(-1)).toMatch(/^warning: .*webhook 17 /);
  });

  it("and fails when a comparison without differences has found the webhook at another resource", async () => {
    const run = await startRun();
    await run.compare(first);
    await run.compare(second);

    const error = await errorOf(run.remove(first));

    expect(error).toMatchObject({ kind: "notDeleted" });
    expect(run.requests).toEqual([]);
  });
});

describe("A comparison with a webhook that this command has", () => {
  it.each<[string, options: object]>([
    ["with URNs", first],
    ["without URNs", {}],
  ])("created is refused before any warning: two entries have it, %s", async (_, options) => {
    const run = await startRun(17);
    await run.create(someArgs());

    const error = await errorOf(run.compare(options, otherArgs));

    expect(error).toMatchObject({ kind: "unchanged" });
    expect(run.lines).toEqual([]);
  });

  it("created is refused although another resource has imported it since then", async () => {
    const run = await startRun(17);
    await run.create(someArgs());
    await run.importWebhook();

    expect(await errorOf(run.compare(second))).toMatchObject({ kind: "unchanged" });
  });

  it("imported is made", async () => {
    const run = await startRun();
    await run.importWebhook();

    expect(await run.compare(first)).toEqual({ changes: false });
  });
});
