import { describe, expect, it } from "vitest";
import { listed, secret, someArgs, unknownMarkers } from "../../helpers/builders.ts";
import { errorOf } from "../../helpers/errors.ts";
import { startWithService } from "../../helpers/provider-with-service.ts";

type Command = Awaited<ReturnType<typeof startCommand>>;
type Step = (command: Command) => Promise<unknown>;

const otherArgs = someArgs({ url: "https://example.com/other" });
const [first, second] = [{ urn: "urn:first" }, { urn: "urn:second" }];

/** Starts a provider of a service that has webhook 17. Each creation gets this id and secret. */
async function startCommand(id = 99, newSecret: unknown = secret) {
  // The response to every request: a creation reads the id and the secret, a deletion `success`, a
  // list the rest.
  const body = { id, secret: newSecret, success: true, webhooks: [listed()] };
  const environment = { DBWEBHOOKS_IMPORT: JSON.stringify({ 17: { ...someArgs(), secret } }) };
  const command = await startWithService({ body }, { listing: "true" }, { environment });
  return {
    ...command,
    compare: (options = {}, args = someArgs()) => command.diff("17", command.state, args, options),
    importWebhook: () => command.import("17"),
    remove: (options = {}) => command.delete("17", command.state, options),
    isDeleted: () => command.methods().includes("DELETE"),
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
    const command = await startCommand();
    await prepare(command);

    await command.remove(first);

    expect(command.isDeleted()).toBe(true);
  });

  it("a creation got it with an unusable secret, so that no new resource has it", async () => {
    const command = await startCommand(17, false);
    await errorOf(command.create(someArgs()));

    await command.remove(first);

    expect(command.isDeleted()).toBe(true);
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
    const command = await startCommand(17);
    await act(command);

    await command.remove();

    expect(command.isDeleted()).toBe(false);
    expect(command.lines.at(-1)).toMatch(/^warning: .*webhook 17 /);
  });

  it("and fails when a comparison without differences has found the webhook at another resource", async () => {
    const command = await startCommand();
    await command.compare(first);
    await command.compare(second);

    const error = await errorOf(command.remove(first));

    expect(error).toMatchObject({ kind: "notDeleted" });
    expect(command.requests).toEqual([]);
  });
});

describe("A comparison with a webhook that this command has", () => {
  it.each<[string, options: object]>([
    ["with URNs", first],
    ["without URNs", {}],
  ])("created is refused before any warning: two entries have it, %s", async (_, options) => {
    const command = await startCommand(17);
    await command.create(someArgs());

    const error = await errorOf(command.compare(options, otherArgs));

    expect(error).toMatchObject({ kind: "unchanged" });
    expect(command.lines).toEqual([]);
  });

  it("created is refused although another resource has imported it since then", async () => {
    const command = await startCommand(17);
    await command.create(someArgs());
    await command.importWebhook();

    expect(await errorOf(command.compare(second))).toMatchObject({ kind: "unchanged" });
  });

  it("imported is made", async () => {
    const command = await startCommand();
    await command.importWebhook();

    expect(await command.compare(first)).toEqual({ changes: false });
  });
});
