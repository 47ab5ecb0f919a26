import { describe, expect, it } from "vitest";
import { Engine } from "../../src/core/engine.ts";
import { WebhookProvider } from "../../src/core/provider.ts";
import type { Properties } from "../../src/core/values.ts";
import { apiKey, secret, someArgs } from "../helpers/builders.ts";
import { type Answer, startServer, type TestServer } from "../helpers/http-server.ts";

const urn = (name: string) => `urn:pulumi:test::webhooks::dbwebhooks:index:Webhook::${name}`;

/** How Pulumi calls its resources: with URNs in the plugin, without in the dynamic provider. */
const shells: readonly [string, typeof urn | (() => undefined)][] = [
  ["with URNs", urn],
  ["without URNs", () => undefined],
];

interface Run {
  readonly provider: WebhookProvider;
  readonly server: TestServer;
  readonly state: Properties;
  readonly lines: string[];
  /** Does what Pulumi does with a resource that the program declares and the state holds. */
  declare(name: string, changes?: Properties): Promise<void>;
  /** The same for a resource that is to be created, or to be replaced. */
  declareAnew(name: string, changes?: Properties): Promise<void>;
  remove(): Promise<void>;
}

/** One run of a program whose state has webhook 17, more than once if need be. */
async function withRun(
  urnOf: (typeof shells)[number][1],
  use: (run: Run) => Promise<void>,
  body: Answer["body"] = { success: true },
): Promise<void> {
  await using server = await startServer({ body });
  const lines: string[] = [];
  const notify = (line: string) => void lines.push(line);
  const settings: Record<string, string> = { baseUrl: server.url, apiKey, listing: "true" };
  const source = {
    get: (name: string) => settings[name],
    isExplicit: () => false,
    environment: { DBWEBHOOKS_IMPORT_SECRET: secret },
  };
  const provider = new WebhookProvider(source, new Engine(undefined, notify));
  const state = { ...someArgs(), baseUrl: server.url, secret };
  await use({
    provider,
    server,
    state,
    lines,
    declare: async (name, changes = {}) => {
      const { inputs } = await provider.check(someArgs(), someArgs(changes), notify, urnOf(name));
      await provider.diff("17", state, inputs, notify, { urn: urnOf(name) });
    },
    declareAnew: async (name, changes = {}) => {
      await provider.check({}, someArgs(changes), notify, urnOf(name));
    },
    remove: () => provider.delete("17", state, notify),
  });
}

const listed = { webhooks: [{ ...someArgs(), id: 17, tableIds: null, active: true }] };
const sent = ({ requests }: TestServer) => requests.map(({ method }) => method);

describe.each(shells)("The deletion of a webhook that two resources have, %s,", (_, urnOf) => {
  it("leaves the webhook to the resource that stays", async () => {
    await withRun(urnOf, async ({ declare, remove, server, lines }) => {
      await declare("stays");

      await remove();

      expect(sent(server)).toEqual([]);
      expect(lines).toEqual([
        "Kept webhook 17 of database base_abc123: another resource of this program manages it too. It was not deleted, and its secret is the same.",
      ]);
    });
  });

  it("reaches the service when no resource stays", async () => {
    await withRun(urnOf, async ({ remove, server }) => {
      await remove();

      expect(sent(server)).toEqual(["DELETE"]);
    });
  });

  // Pulumi applies ignoreChanges to what it compares, not to what it creates in a replacement.
  it.each([{}, { url: "https://example.com/ignored-before" }])(
    "reaches the service when the one that stays is replaced, with %j",
    async (changes) => {
      await withRun(urnOf, async ({ declare, declareAnew, remove, server }) => {
        await declare("orders");
        await declareAnew("orders", changes);

        await remove();

        expect(sent(server)).toEqual(["DELETE"]);
      });
    },
  );

  it("reaches the service when its resource gets other arguments", async () => {
    await withRun(urnOf, async ({ declare, remove, server }) => {
      await declare("orders", { url: "https://example.com/other" });

      await remove();

      expect(sent(server)).toEqual(["DELETE"]);
    });
  });

  it("reaches the service after a refresh, which compares what no program declares", async () => {
    await withRun(urnOf, async ({ provider, state, remove, server }) => {
      await provider.diff("17", state, someArgs(), () => {}, { urn: urnOf("orders") });

      await remove();

      expect(sent(server)).toEqual(["DELETE"]);
    });
  });
});

describe("Two resources with one webhook", () => {
  it("are told apart by their URNs, whatever else the run creates", async () => {
    await withRun(urn, async ({ declare, declareAnew, remove, server }) => {
      await declare("stays");
      await declareAnew("new");

      await remove();

      expect(sent(server)).toEqual([]);
    });
  });

  const warning = (one: string, other: string) =>
    `Two resources manage webhook 17 of database base_abc123: ${urn(one)} and ${urn(other)}. Remove one of them from the program, and from the state with "pulumi state delete", which deletes no webhook.`;

  it("are named when both are in the state, and once", async () => {
    await withRun(urn, async ({ declare, lines }) => {
      await declare("one");
      await declare("one");
      await declare("other");

      expect(lines).toEqual([warning("one", "other")]);
    });
  });

  it("are named when both are imported", async () => {
    await withRun(
      urn,
      async ({ provider, lines }) => {
        const notify = (line: string) => void lines.push(line);
        for (const name of ["one", "other"]) {
          const { inputs } = await provider.import("17", "base_abc123", notify, urn(name));
          await provider.check(inputs, inputs, notify, urn(name));
        }

        expect(lines).toEqual([warning("one", "other")]);
      },
      listed,
    );
  });

  it("are not named when one of them only reads it", async () => {
    await withRun(
      urn,
      async ({ provider, declare, lines }) => {
        await provider.import("17", "base_abc123", () => {}, urn("read"));
        await declare("orders");

        expect(lines).toEqual([]);
      },
      listed,
    );
  });
});

describe("An import that the declaration differs from", () => {
  it("announces no replacement, which Pulumi refuses", async () => {
    await withRun(
      urn,
      async ({ provider, declare, lines }) => {
        const notify = (line: string) => void lines.push(line);
        await provider.import("17", "base_abc123", notify, urn("orders"));
        await declare("orders", { url: "https://example.com/other" });

        expect(lines).toEqual([
          "The program does not declare webhook 17 of database base_abc123 as the service has it: url changes. Pulumi replaces no webhook that it imports. Declare it as it is there, and change it after the import.",
        ]);
      },
      listed,
    );
  });

  it("says nothing of a webhook that the program reads and another resource replaces", async () => {
    await withRun(
      urn,
      async ({ provider, declare, lines }) => {
        await provider.import("17", "base_abc123", () => {}, urn("read"));
        await declare("orders", { url: "https://example.com/other" });

        expect(lines).toEqual([expect.stringContaining("Replacing webhook 17 ")]);
      },
      listed,
    );
  });
});
