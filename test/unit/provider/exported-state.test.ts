import { describe, expect, it } from "vitest";
import { dynamicWebhookType, pluginWebhookType } from "../../../src/common/type-tokens.ts";
import { parseExportedState } from "../../../src/provider/rules/exported-state.ts";
import { secret, secretSignature, someArgs, someState } from "../../helpers/builders.ts";

const urn = "urn:pulumi:dev::shop::dbwebhooks:index:Webhook::orders";
const encrypted = { ...secretSignature, ciphertext: "v1:abc" };
const inClearText = { ...secretSignature, plaintext: '"base_abc123"' };

/** A webhook as Pulumi exports it. */
function webhook(changes: object = {}) {
  return { urn, type: pluginWebhookType, id: "17", outputs: someState(), ...changes };
}

/** An operation that was in flight when Pulumi stored the state. */
function pending(changes: object = {}, type = "creating") {
  const { id: _id, outputs: _outputs, ...resource } = webhook({ inputs: someArgs() });
  return { resource: { ...resource, ...changes }, type };
}

/** The output of `pulumi stack export`. */
function exportOf(deployment: object, version: unknown = 3): string {
  return JSON.stringify({ version, deployment: { manifest: {}, ...deployment } });
}

const known = {
  urn,
  address: { baseUrl: "https://tables.example.com", databaseId: "base_abc123", id: "17" },
  isPendingDeletion: false,
};

describe("The webhooks of an exported state", () => {
  it.each<[string, string, resources: readonly object[]]>([
    ["without resources", exportOf({}), []],
    ["with an empty list", exportOf({ resources: [] }), []],
    ["with a webhook of the plugin", exportOf({ resources: [webhook()] }), [known]],
    [
      "with one of the dynamic provider",
      exportOf({ resources: [webhook({ type: dynamicWebhookType })] }),
      [known],
    ],
    ["of version 4", exportOf({ resources: [webhook()] }, 4), [known]],
    ["after a byte order mark", `\ufeff${exportOf({ resources: [webhook()] })}`, [known]],
    [
      "with a pending deletion",
      exportOf({ resources: [webhook(), webhook({ delete: true })] }),
      [known, { ...known, isPendingDeletion: true }],
    ],
    [
      "with other resources",
      exportOf({ resources: [{ urn, type: "pulumi:pulumi:Stack" }, webhook({ type: "a:b:C" })] }),
      [],
    ],
    [
      "of --show-secrets",
      exportOf({ resources: [webhook({ outputs: someState({ databaseId: inClearText }) })] }),
      [known],
    ],
    [
      "with another spelling of a base URL",
      exportOf({
        resources: [
          webhook({ outputs: someState({ baseUrl: "https://Tables.example.com:443/" }) }),
        ],
      }),
      [known],
    ],
    [
      "with a base URL that no provider accepts, without its credentials",
      exportOf({
        resources: [
          webhook({ outputs: someState({ baseUrl: `https://u:${secret}@a.test/b?c=${secret}` }) }),
        ],
      }),
      [{ ...known, address: { ...known.address, baseUrl: "https://a.test/b" } }],
    ],
    [
      "with a URN that CI systems read as a command",
      exportOf({ resources: [webhook({ urn: "a\n##[b]" })] }),
      [{ ...known, urn: "a ## [b]" }],
    ],
  ])("%s are known", (_state, text, resources) => {
    expect(parseExportedState(text)).toMatchObject({ resources, pendingCreations: [] });
  });

  it.each([
    ["2026-11-29T01:02:03.456789+01:00", "2026-11-29T00:02:03.456Z"],
    [undefined, undefined],
    ["##[error] now", undefined],
    [1, undefined],
  ])("have the time of the last change if the state shows it: %s", (time, changedAt) => {
    expect(parseExportedState(exportOf({ manifest: { time } }))).toMatchObject({ changedAt });
  });

  it.each([
    ["no text", ""],
    ["no JSON", `urn ${secret}`],
    ["a list", JSON.stringify([secret])],
    ["the file of a backend", JSON.stringify({ version: 3, checkpoint: { latest: {} } })],
    ["resources that are no list", exportOf({ resources: secret })],
    ["a resource that is no object", exportOf({ resources: [secret] })],
    [
      "a creation in flight without a resource",
      exportOf({ pending_operations: [{ type: "creating" }] }),
    ],
    ["operations that are no list", exportOf({ pending_operations: secret })],
  ])("are not known from %s, which is not repeated", (_state, text) => {
    expect(parseExportedState(text)).toEqual({
      problem: 'it is not the output of "pulumi stack export"',
    });
  });

  it.each([undefined, 1, 5, "3"])("are not known from a state of version %s", (version) => {
    expect(parseExportedState(JSON.stringify({ version, deployment: {} }))).toEqual({
      problem: expect.stringMatching(/version is not 3 or 4/),
    });
  });

  it.each([
    ["no id", { id: undefined }, /baseUrl is missing or not valid$/],
    ["an id of another form", { id: "base_abc123/17" }, /its id,/],
    ["no outputs", { outputs: undefined }, /its databaseId/],
    ["no base URL", { outputs: someState({ baseUrl: "" }) }, /its baseUrl/],
    ["an encrypted database", { outputs: someState({ databaseId: encrypted }) }, /--show-secrets/],
    ["an encrypted base URL", { outputs: someState({ baseUrl: encrypted }) }, /--show-secrets/],
  ])("are all unknown if one of them has %s", (_part, changes, advice) => {
    const state = parseExportedState(exportOf({ resources: [webhook(), webhook(changes)] }));

    expect(state).toEqual({ problem: expect.stringMatching(advice) });
    expect(state).toEqual({ problem: expect.stringContaining(`${urn} has; `) });
  });

  it("have a base URL that no provider accepts, too", () => {
    const baseUrl = "http://old.example.com";

    const state = parseExportedState(
      exportOf({ resources: [webhook({ outputs: someState({ baseUrl }) })] }),
    );

    expect(state).toMatchObject({ resources: [{ address: { ...known.address, baseUrl } }] });
  });
});

it.each([
  ["in a known database", pending(), [{ urn, databaseId: "base_abc123" }]],
  [
    "of the dynamic provider",
    pending({ type: dynamicWebhookType }),
    [{ urn, databaseId: "base_abc123" }],
  ],
  [
    "of --show-secrets",
    pending({ inputs: { databaseId: inClearText } }),
    [{ urn, databaseId: "base_abc123" }],
  ],
  ["in an encrypted database", pending({ inputs: { databaseId: encrypted } }), [{ urn }]],
  ["of another resource", pending({ type: "a:b:C" }), []],
  ["as an import", pending({}, "importing"), [{ urn, databaseId: "base_abc123" }]],
  ["as a deletion", pending({}, "deleting"), []],
])("An operation that was in flight %s", (_creation, operation, pendingCreations) => {
  const text = exportOf({ pending_operations: [operation] });

  expect(parseExportedState(text)).toMatchObject({ resources: [], pendingCreations });
});
