import {
  type LocalService,
  respondWith,
  startLocalService,
  times,
} from "pulumi-dbwebhooks/local-service";
import { describe, expect, it, vi } from "vitest";
import { isPost } from "../helpers/faults/faults.mts";
import {
  javascriptProgram,
  type Program,
  reference,
  type Webhooks,
  yamlProgram,
} from "../helpers/programs.ts";
import {
  expectAgreement,
  noPromptFlags,
  removeFromState,
  type TestStack,
  withStack,
} from "../helpers/stack.ts";

// The tests follow the heading "The service returned a known id" in docs/troubleshooting.md.

const withUrl = (name: string) => ({ args: { url: `https://example.com/${name}` } });
const webhooks: Webhooks = { orders: withUrl("orders"), invoices: withUrl("invoices") };
const advice = '"The service returned a known id" in';

/** Runs a test with a stack whose service has lost its data, and then destroys the stack. */
function withoutData(
  program: Program,
  use: (stack: TestStack, service: LocalService) => Promise<void>,
): Promise<void> {
  return withStack(
    async (stack) => {
      const before = await startNumberingFromOne();
      await stack.declare(webhooks);
      await stack.configure({ "dbwebhooks:baseUrl": before.baseUrl });
      await stack.up();
      await before.close();
      await using after = await startNumberingFromOne(Number(new URL(before.baseUrl).port));
      await use(stack, after);
      expect(after.webhooks).toHaveLength(3);
      await expectAgreement(program, stack, after);
      await stack.destroy();
      expect(after.webhooks).toEqual([]);
    },
    { program },
  );
}

/** Starts a local service whose first webhook has the number 1. */
function startNumberingFromOne(port = 0): Promise<LocalService> {
  // The local service numbers from the time of its start, so this one starts at the time 0.
  const now = vi.spyOn(performance, "now").mockReturnValue(-performance.timeOrigin);
  try {
    return startLocalService({ listing: true, port });
  } finally {
    now.mockRestore();
  }
}

describe.each([
  {
    way: "pulumi state delete",
    program: javascriptProgram,
    remove: async (stack: TestStack) => {
      for (const name of Object.keys(webhooks)) await removeFromState(stack, name);
    },
  },
  {
    way: "a refresh with listing",
    program: yamlProgram,
    remove: async (stack: TestStack) => {
      await stack.pulumi(["refresh", ...noPromptFlags], { DBWEBHOOKS_LISTING: "true" });
    },
  },
])("A service that numbers from the beginning again, through $program.name,", (row) => {
  it(`has each webhook of the state once after ${row.way} has removed the lost ones`, async () => {
    await withoutData(row.program, async (stack, service) => {
      // So that Pulumi compares the known webhooks before it creates the new one.
      const opts = { dependsOn: Object.keys(webhooks).map(reference) };
      await stack.declare({ ...webhooks, tasks: { ...withUrl("tasks"), opts } });
      const failed = await stack.pulumi(["up", ...noPromptFlags]);
      expect(failed.output).toMatch(new RegExp(`${advice} .*\\[inDoubt\\]`));

      for (const { id } of service.webhooks) service.removeWebhook(id);
      await row.remove(stack);
      await stack.up();
    });
  });
});

it("An existing webhook that the service returns stays when the subscription is declared once", async () => {
  await withStack(
    async (stack) => {
      const { service, declare, pulumi, up } = stack;
      await declare({ orders: {} });
      await up();
      const [{ id, secret } = { id: 0, secret: "" }] = service.webhooks;
      service.use(times(1, respondWith(200, { body: { id, secret } }), isPost));
      const after = (name: string) => ({ opts: { dependsOn: [reference(name)] } });
      await declare({ orders: {}, twin: after("orders") });
      const failed = await pulumi(["up", ...noPromptFlags]);
      expect(failed.output).toMatch(new RegExp(`${advice} .*\\[inDoubt\\]`));

      await declare({ orders: {} });
      await up();

      await expectAgreement(yamlProgram, stack, service);
    },
    { program: yamlProgram },
  );
});
