import { respondWith } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { countsOf, isPost } from "../helpers/faults/faults.mts";
import { javascriptProgram, reference, type Webhooks, yamlProgram } from "../helpers/programs.ts";
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

        expect(
          output.match(/warning: .* "adopt.secret differs from the state" in/g)?.length,
        ).toBeGreaterThan(1);
        expect(last.output).not.toContain("adopt.secret differs");
        expect(service.requests).toEqual([]);
        await expectAgreement(program, stack, service);
      },
      { program },
    );
  });
});

describe.each([javascriptProgram, yamlProgram])("A webhook that $name adopts", (program) => {
  it("is replaced by a change only after an update that removes adopt", async () => {
    await withStack(
      async (stack) => {
        const { service, declare, up, pulumi, createByHand } = stack;
        const adopt = await createByHand();
        const changed = { url: "https://example.com/changed" };
        await declare({ orders: { args: { adopt } } });
        await up();
        service.clearRequests();

        await declare({ orders: { args: { adopt, ...changed } } });
        const refused = await pulumi(["up", ...noPromptFlags]);
        await declare({ orders: {} });
        await up();
        const requestsBefore = service.requests.length;
        await declare({ orders: { args: changed } });
        await up();

        expect(refused.output).toMatch(/no longer has adopt\. .*\[unchanged\]/);
        expect(requestsBefore).toBe(0);
        expect(methodsAndKeysOf(service)).toEqual([`POST ${key}`, `DELETE ${key}`]);
        await expectAgreement(program, stack, service);
      },
      { program },
    );
  });
});

describe.each([javascriptProgram, yamlProgram])(
  "One webhook, two resources, through $name:",
  (program) => {
    /** Declares two resources that adopt one webhook. The one that is named last is checked after the other. */
    const twins = (adopt: object, last: string): Webhooks => {
      const opts = { dependsOn: [reference("between")] };
      const adopting = (name: string) => ({ args: { adopt }, ...(name === last && { opts }) });
      return {
        between: { args: { databaseId: "base_between" } },
        one: adopting("one"),
        two: adopting("two"),
      };
    };

    it.each(["one", "two"])(
      "adopt in both is refused, and the advice keeps the webhook, when %s is checked last",
      async (last) => {
        await withStack(
          async (stack) => {
            const { service, declare, up, pulumi, createByHand } = stack;
            const adopt = await createByHand();
            await declare(twins(adopt, last));
            const preview = await pulumi(["preview"]);
            // Without a preview, the first resource may have adopted the webhook already.
            const failed = await pulumi(["up", ...noPromptFlags]);
            expect([preview.exitCode, failed.exitCode]).not.toContain(0);
            expect(failed.output).toMatch(/adopt: names webhook .*"One webhook, two resources" in/);

            // Remove the one that has adopted the webhook, so that Pulumi deletes its entry.
            const { one, two } = await stack.storedWebhooks();
            const kept = one === undefined && two !== undefined ? "one" : "two";
            await declare({ [kept]: { args: { adopt } } });
            await up();
            await declare({ [kept]: {} });
            await up();

            expect(service.webhooks).toMatchObject([adopt]);
            await expectAgreement(program, stack, service);
          },
          { program },
        );
      },
    );

    it("an argument that depends on a resource that is replaced fails no preview and deletes nothing if it stays the same", async () => {
      await withStack(
        async (stack) => {
          const { service, declare, up, pulumi, createByHand } = stack;
          const url = "https://example.com/hooks/orders";
          const adopt = await createByHand({ url });
          const declareWith = (sourceUrl: string) =>
            declare({
              source: { args: { url: sourceUrl }, opts: { deleteBeforeReplace: true } },
              orders: { args: { adopt }, eventsFrom: "source" },
            });
          await declareWith("https://example.com/source");
          await up();
          service.clearRequests();

          await declareWith("https://example.com/changed");
          const preview = await pulumi(["preview"]);
          const update = await up();

          expect(preview.exitCode, preview.output).toBe(0);
          expect(preview.output).toMatch(/warning: The program adopts webhook/);
          expect(preview.output + update.output).not.toMatch(/takes over/);
          const deletions = service.requests.filter(({ method }) => method === "DELETE");
          expect(deletions.map(({ webhookId }) => webhookId)).not.toContain(String(adopt.id));
          await expectAgreement(program, stack, service);
        },
        { program },
      );
    });
  },
);

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
      await up(variables);
      service.clearRequests();

      await removeFromState(stack, "twin");
      await declare({ orders: {} });
      await up();

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
