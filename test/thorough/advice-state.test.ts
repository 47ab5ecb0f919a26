import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it, vi } from "vitest";
import { someArgs } from "../helpers/builders.ts";
import { succeed } from "../helpers/commands.ts";
import { changeWebhook, isPost, notFound, times } from "../helpers/faults/faults.mts";
import {
  javascriptProgram,
  type Program,
  reference,
  type Webhooks,
  yamlProgram,
} from "../helpers/programs.ts";
import { methodsOf, recordRequests } from "../helpers/recorder.mts";
import {
  expectAgreement,
  methodsAndKeysOf,
  noPromptFlags,
  removeFromState,
  type TestStack,
  withStack,
} from "../helpers/stack.ts";
import { editState, removeLeftWebhooks } from "../helpers/two-services.ts";

// The ways in which a state comes to agree with the service again.

const listing = { DBWEBHOOKS_LISTING: "true" };
const withUrl = (name: string) => ({ args: { url: `https://example.com/${name}` } });
const webhooks: Webhooks = { orders: withUrl("orders"), invoices: withUrl("invoices") };

/** Starts a local service whose first webhook has the id 1. */
function startNumberingFromOne(port = 0): Promise<LocalService> {
  // The ids of the local service begin with the time of its start, so this one starts at time 0.
  const now = vi.spyOn(performance, "now").mockReturnValue(-performance.timeOrigin);
  try {
    return startLocalService({ port });
  } finally {
    now.mockRestore();
  }
}

it.each<{ way: string; program: Program; remove: (stack: TestStack) => Promise<unknown> }>([
  {
    way: "pulumi state delete",
    program: javascriptProgram,
    remove: async (stack) => {
      for (const name of Object.keys(webhooks)) {
        await removeFromState(stack, name);
      }
    },
  },
  {
    way: "a refresh with listing",
    program: yamlProgram,
    remove: (stack) => stack.pulumi(["refresh", ...noPromptFlags], listing),
  },
])(
  "A service that begins its ids again has each webhook of $program.name once after $way",
  async ({ program, remove }) => {
    await withStack(
      async (stack) => {
        const before = await startNumberingFromOne();
        await stack.declare(webhooks);
        await stack.configure({ "dbwebhooks:baseUrl": before.baseUrl });
        await stack.up();
        await before.close();
        await using after = await startNumberingFromOne(Number(new URL(before.baseUrl).port));
        // So that Pulumi compares the known webhooks before it creates the new one.
        const opts = { dependsOn: Object.keys(webhooks).map(reference) };
        await stack.declare({ ...webhooks, tasks: { ...withUrl("tasks"), opts } });
        const failed = await stack.pulumi(["up", ...noPromptFlags]);
        expect(failed.output).toMatch(/"A repeated id" in .* \[inDoubt\]/);

        after.webhooks = [];
        await remove(stack);
        await stack.up();

        expect(after.webhooks).toHaveLength(3);
        await expectAgreement(stack, after);
      },
      { program },
    );
  },
);

describe.each([javascriptProgram, yamlProgram])("Through $name", (program) => {
  it("`pulumi state move` loses no webhook without a list, and only a key without access empties a state", async () => {
    const service = { apiKeys: ["local-api-key", "other-key"], listing: false };
    await withStack(
      async (stack) => {
        const { declare, up, pulumi, directory, environment, storedWebhooks } = stack;
        // A service without a list: its other operations refuse the key.
        stack.service.use(({ method, headers }, next) =>
          method === "DELETE" && headers.authorization === "Bearer other-key" ? notFound() : next(),
        );
        await declare(webhooks);
        await up();
        const { ordersSecret } = await stack.outputs();
        const inDirectory = { directory, environment };
        const moved = (await storedWebhooks()).orders?.urn ?? "";
        const recorder = recordRequests(stack.service);

        await succeed("pulumi", ["stack", "init", "other"], inDirectory);
        const stacks = ["--source", "test", "--dest", "other"];
        await succeed("pulumi", ["state", "move", "--yes", ...stacks, moved], inDirectory);
        const exported = ["stack", "export", "--stack", "other", "--show-secrets"];
        const { stdout } = await succeed("pulumi", exported, inDirectory);
        const hidden = await succeed("pulumi", exported.slice(0, -1), inDirectory);

        expect(Object.keys(await storedWebhooks())).toEqual(["invoices"]);
        expect(stdout).toContain(String(ordersSecret));
        expect(hidden.stdout).not.toContain(String(ordersSecret));
        expect(recorder.requests).toEqual([]);

        const destroy = await pulumi(["destroy", ...noPromptFlags], {
          DBWEBHOOKS_API_KEY: "other-key",
        });

        expect(destroy.exitCode, destroy.output).toBe(0);
        expect(destroy.output).toMatch(/warning: .*404/);
        expect(methodsAndKeysOf(destroy.requests)).toEqual([
          "DELETE Bearer other-key",
          "GET Bearer other-key",
        ]);
        expect(await storedWebhooks()).toEqual({});
        stack.service.webhooks = [];
      },
      { program, service },
    );
  });
});

it("A pending deletion of another resource's webhook ends when its entry leaves the exported state", async () => {
  await withStack(
    async (stack) => {
      const { service, declare, up, pulumi } = stack;
      await declare({ old: {} });
      await up();
      const [webhook] = service.webhooks;
      const id = String(webhook?.id);
      const described = { [id]: { ...someArgs(), secret: webhook?.secret } };
      const importing = { old: {}, fresh: { opts: { import: id } } };
      await declare(importing);
      await up({ DBWEBHOOKS_IMPORT: JSON.stringify(described) });
      await declare({ old: { args: { url: "https://example.com/new" } }, fresh: {} });
      const failed = await pulumi(["up", ...noPromptFlags]);
      expect(failed.output).toMatch(/"Two resources have one webhook" in .* \[notDeleted\]/);

      await removeLeftWebhooks(stack);
      const ended = await up();

      expect([failed, ended].map(({ requests }) => methodsOf(requests))).toEqual([["POST"], []]);
      await expectAgreement(stack, service);
    },
    { program: yamlProgram },
  );
});

it.each([yamlProgram, javascriptProgram])(
  "An edited entry in the state of $name warns, fails and sends nothing until it is restored",
  async (program) => {
    await withStack(
      async (stack) => {
        const { service, declare, up, pulumi } = stack;
        await declare({ orders: {} });
        await up();
        const id = (await stack.storedWebhooks()).orders?.id ?? "";
        let original = "";
        await editState(stack, (state) => {
          original = state;
          return state.replaceAll(`"id": "${id}"`, `"id": "base_other/${id}"`);
        });
        const refresh = await pulumi(["refresh", ...noPromptFlags], listing);
        const destroy = await pulumi(["destroy", ...noPromptFlags], listing);

        expect(refresh.output).toMatch(/warning: .*do not name one webhook/);
        expect(destroy.output).toMatch(/do not name one webhook.*\[notDeleted\]/);
        expect([...refresh.requests, ...destroy.requests]).toEqual([]);

        await editState(stack, () => original);
        await stack.destroy();

        expect(service.webhooks).toEqual([]);
      },
      { program },
    );
  },
);

it("A change that is undone at the service is no difference after a refresh", async () => {
  await withStack(async ({ service, declare, up, pulumi }) => {
    await declare({ orders: {} });
    await up();
    const [{ id, url } = { id: 0, url: "" }] = service.webhooks;
    const refresh = () => pulumi(["refresh", ...noPromptFlags], listing);
    changeWebhook(service, id, { url: "https://example.com/other" });
    await refresh();
    changeWebhook(service, id, { url });
    await refresh();

    const preview = await pulumi(["preview", "--expect-no-changes"]);

    expect(preview.exitCode, preview.output).toBe(0);
  });
});

it("A service that uses an id twice ends in doubt, and the page's three steps end that", async () => {
  await withStack(
    async (stack) => {
      const { service, declare, up, pulumi } = stack;
      const declareWith = (name: string) =>
        declare({ orders: { ...withUrl(name), opts: { deleteBeforeReplace: true } } });
      await declareWith("first");
      await up();
      const id = service.webhooks[0]?.id;
      // This service has the new webhook outside of the list of the local one.
      const returnNumber = () => Promise.resolve(Response.json({ id, secret: "lost" }));
      service.use(times(1, returnNumber, isPost));
      await declareWith("second");
      const failed = await pulumi(["up", ...noPromptFlags]);

      await removeFromState(stack, "orders");
      const { requests } = await up();

      expect(failed.output).toMatch(/"A repeated id" in .* \[inDoubt\]/);
      expect(methodsOf(requests)).toEqual(["POST"]);
      await expectAgreement(stack, service);
    },
    { program: yamlProgram },
  );
});
