import { respondWith } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { countsOf, isPost } from "../helpers/faults/faults.mts";
import { javascriptProgram, yamlProgram } from "../helpers/programs.ts";
import {
  expectAgreement,
  methodsAndKeysOf,
  noPromptFlags,
  removeFromState,
  withStack,
} from "../helpers/stack.ts";

// The tests follow the page docs/troubleshooting.md.

const key = "Bearer local-api-key";
const listing = { DBWEBHOOKS_LISTING: "true" };

describe.each([javascriptProgram, yamlProgram])("Through $name", (program) => {
  it("a full database takes a replacement with deleteBeforeReplace", async () => {
    await withStack(
      async (stack) => {
        const { service, declare, up, pulumi } = stack;
        await declare({ orders: {} });
        await up();
        const isFull = () => service.webhooks.length > 0;
        const refuse = respondWith(422);
        service.use((request, next) =>
          isPost(request) && isFull() ? refuse(request, next) : next(),
        );
        const args = { url: "https://example.com/other" };
        await declare({ orders: { args } });
        const failed = await pulumi(["up", ...noPromptFlags]);
        service.clearRequests();

        await declare({ orders: { args, opts: { deleteBeforeReplace: true } } });
        await up();

        expect(failed.output).toMatch(/"A full database" in .*\[notCreated\]/);
        expect(methodsAndKeysOf(service)).toEqual([`DELETE ${key}`, `POST ${key}`]);
        await expectAgreement(program, stack, service);
      },
      { program },
    );
  });

  it("a webhook that is left behind by a failed adoption is adopted by the next update", async () => {
    await withStack(
      async (stack) => {
        const { service, declare, up, pulumi, storedWebhooks } = stack;
        await declare({ orders: {} });
        await up();
        const [{ id, secret } = { id: 0, secret: "" }] = service.webhooks;
        const { urn = "" } = (await storedWebhooks()).orders ?? {};
        const removeFault = service.use((request, next) =>
          request.method === "GET" ? new Response(null, { status: 401 }) : next(),
        );
        // The option makes Pulumi delete the old resource first, and the program already adopts its webhook.
        const orders = { args: { adopt: { id, secret } }, opts: { deleteBeforeReplace: true } };
        await declare({ orders });
        const replace = ["up", ...noPromptFlags, "--replace", urn];
        const failed = await pulumi(replace, listing);
        removeFault();

        await up(listing);

        expect(failed.output).toMatch(/Adopt webhook .* keep adopt .*\[leftBehind\]/);
        expect(service.webhooks).toMatchObject([{ id, secret }]);
        expect(countsOf(service)).toMatchObject({ created: 1, deleted: 0 });
        await expectAgreement(program, stack, service);
      },
      { program, service: { listing: true } },
    );
  });

  it("another adopt.secret is stored once the resource has left the state", async () => {
    await withStack(
      async (stack) => {
        const { service, declare, up, createByHand } = stack;
        const right = [await createByHand(), await createByHand()] as const;
        const [first, second] = right;
        const adopting = (one: object, other: object) =>
          declare({ one: { args: { adopt: one } }, other: { args: { adopt: other } } });
        service.clearRequests();
        await adopting({ ...first, secret: "whsec_wrong" }, second);
        await up();
        await adopting(first, { ...second, secret: "whsec_wrong" });
        const { output } = await up();

        await removeFromState(stack, "one");
        await declare({ one: { args: { adopt: first } }, other: {} });
        const last = await up();

        expect(output.match(/warning: .* "Another adopt.secret" in/g)?.length).toBeGreaterThan(1);
        expect(last.output).not.toContain("Another adopt.secret");
        expect(service.requests).toEqual([]);
        await expectAgreement(program, stack, service);
      },
      { program },
    );
  });
});

it("A webhook of two resources stays when one of them leaves the state and the program", async () => {
  await withStack(
    async (stack) => {
      const { service, declare, up } = stack;
      await declare({ orders: {} });
      await up();
      const [webhook] = service.webhooks;
      const variables = { ...listing, DBWEBHOOKS_IMPORT_SECRET: webhook?.secret ?? "" };
      const id = `${webhook?.databaseId}/${webhook?.id}`;
      await declare({ orders: {}, twin: { opts: { import: id } } });
      const { output } = await up(variables);
      service.clearRequests();

      await removeFromState(stack, "twin");
      await declare({ orders: {} });
      await up();

      expect(output).toMatch(/warning: 2 resources manage .* "One webhook, two resources" in/);
      expect(service.requests).toEqual([]);
      await expectAgreement(yamlProgram, stack, service);
    },
    { program: yamlProgram, service: { listing: true } },
  );
});

it("A change that is undone at the service is no difference after a refresh", async () => {
  await withStack(
    async (stack) => {
      const { service, declare, up, pulumi } = stack;
      await declare({ orders: {} });
      await up();
      const [{ id, url } = { id: 0, url: "" }] = service.webhooks;
      const refresh = () => pulumi(["refresh", ...noPromptFlags], listing);
      service.updateWebhook(id, { url: "https://example.com/other" });
      const changed = await refresh();
      service.updateWebhook(id, { url });

      const undone = await refresh();
      const preview = await pulumi(["preview", "--expect-no-changes"]);

      expect(changed.output).toMatch(/differ from the state/);
      expect(preview.exitCode, preview.output).toBe(0);
      expect(undone.output + preview.output).not.toMatch(/replac/i);
    },
    { service: { listing: true } },
  );
});
