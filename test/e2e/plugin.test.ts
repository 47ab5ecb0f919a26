import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { createWebhook } from "../helpers/local-service.js";
import { interpolated, type Program, yamlProgram } from "../helpers/programs.js";
import { type TestStack, webhookArgs, withStack } from "../helpers/stack.js";

const databaseId = "base_abc123";
const noop = ["up", "--yes", "--skip-preview", "--expect-no-changes"];

/** Runs a test with a stack that uses the plugin, and a service that lists. */
async function withPlugin(
  use: (stack: TestStack) => Promise<void>,
  options: {
    readonly listing?: true;
    readonly program?: Program;
    readonly config?: Record<string, string>;
  } = {},
): Promise<void> {
  const { listing, ...more } = options;
  const service = await startLocalService({ listing: true });
  await withStack(
    async (stack) => {
      if (listing) await stack.configure({ "dbwebhooks:listing": "true" });
      await use(stack);
    },
    { service, program: yamlProgram, ...more },
  );
}

/** Changed properties of a webhook, as `preview --diff` shows them. */
function shownChanges(output: string): string[] {
  return [...output.matchAll(/^ +([+~-]|\+-) (?!dbwebhooks|pulumi)(\w+) *:/gm)].map(
    ([, sign, property]) => `${sign} ${property}`,
  );
}

function methods({ requests }: LocalService): string[] {
  return requests.map(({ method }) => method);
}

/** A webhook that was created by hand, with the id that Pulumi knows it by. */
async function createByHand(service: LocalService, changes: object = {}) {
  const { databaseId: _, ...body } = webhookArgs(changes) as Record<string, unknown>;
  const { json } = await createWebhook(service, { databaseId, body });
  service.clearRequests();
  return { id: `${databaseId}/${json.id}`, secret: json.secret as string };
}

describe("A webhook of the native plugin", () => {
  it("is created, left alone, compared, replaced and deleted", async () => {
    await withPlugin(async ({ service, declare, up, pulumi, outputs, resources, stateText }) => {
      await declare({ orders: { args: webhookArgs() } });
      const created = await up();
      const again = await pulumi(noop);

      const [first] = service.webhooks;
      expect(created.output).toContain("[secret]");
      expect(again.output).toContain("2 unchanged");
      expect(await outputs()).toEqual({ ordersSecret: first?.secret });
      expect(await stateText()).not.toContain(first?.secret);
      expect(await stateText()).not.toContain(service.apiKey);
      expect((await resources()).orders).toMatchObject({
        id: `${databaseId}/${first?.id}`,
        outputs: {
          ...webhookArgs(),
          webhookId: String(first?.id),
          baseUrl: service.baseUrl,
          secret: { ciphertext: expect.any(String) },
        },
      });

      // Each by itself, and nothing else of the webhook.
      for (const [changes, shown] of [
        [{ url: "https://example.com/other" }, ["~ url"]],
        [{ events: ["record.created"] }, ["~ events"]],
        [{ tableId: "tbl_orders" }, ["+ tableId"]],
        [{ allowInsecureUrl: true }, []],
      ] as const) {
        await declare({ orders: { args: webhookArgs(changes) } });
        const { output } = await pulumi(["preview", "--diff"]);
        expect(shownChanges(output), output).toEqual(shown);
      }

      const local = await up();
      expect(local.output).toContain("2 unchanged");
      expect(service.counts).toMatchObject({ posts: 1, deletes: 0 });
      service.clearRequests();

      await declare({ orders: { args: webhookArgs({ url: "https://example.com/other" }) } });
      const preview = await pulumi(["preview"]);
      const replaced = await up();

      for (const { output } of [preview, replaced]) {
        expect(output).toMatch(
          /dbwebhooks:index:Webhook \(orders\):\n +warning: Replacing webhook 1 of database base_abc123: url changes\./,
        );
      }
      expect(methods(service)).toEqual(["POST", "DELETE"]);
      expect(await outputs()).toEqual({ ordersSecret: service.webhooks[0]?.secret });

      const destroyed = await pulumi(["destroy", "--yes", "--skip-preview"]);
      expect([destroyed.exitCode, service.webhooks]).toEqual([0, []]);
    });
  });

  it("reports bad arguments and configuration in preview, and repeats no value", async () => {
    await withPlugin(
      async ({ service, declare, pulumi }) => {
        await declare({
          orders: {
            args: webhookArgs({ databaseId: "..", url: "hooks/path-token", events: [] }),
          },
        });

        const { exitCode, output } = await pulumi(["preview"], {
          DBWEBHOOKS_TIMEOUT_SECONDS: "soon",
        });

        expect(exitCode).not.toBe(0);
        for (const problem of [
          'dbwebhooks:baseUrl: is not set; run "pulumi config set dbwebhooks:baseUrl',
          'dbwebhooks:apiKey: is not set; run "pulumi config set --secret dbwebhooks:apiKey"',
          "dbwebhooks:timeoutSeconds: must be",
          "databaseId: must be the identifier of the database",
          "url: must be an absolute URL",
          "events: must name at least one event",
        ]) {
          expect(output).toContain(problem);
        }
        expect(output).not.toMatch(/path-token|\n\s+at /);
        expect(service.requests).toEqual([]);
      },
      { config: {} },
    );
  });

  it("honours ignoreChanges, waits for values that are not known, and ends in time", async () => {
    await withPlugin(async ({ service, declare, up, pulumi, declareProject }) => {
      await declare({ orders: { args: webhookArgs() } });
      await up();
      const opts = { ignoreChanges: ["url"] };
      await declare({ orders: { args: webhookArgs({ url: "https://example.com/x" }), opts } });
      const ignored = await pulumi(noop);
      expect(ignored.exitCode, ignored.output).toBe(0);

      await declareProject({
        resources: {
          first: { type: "dbwebhooks:Webhook", properties: webhookArgs() },
          second: {
            type: "dbwebhooks:Webhook",
            properties: webhookArgs({
              url: `https://example.com/${interpolated("first.webhookId")}`,
              tableId: interpolated("first.webhookId"),
            }),
            options: { customTimeouts: { create: "2s" } },
          },
        },
        outputs: {},
      });
      const preview = await pulumi(["preview"]);
      service.inject({
        on: "POST",
        where: ({ body }) => JSON.stringify(body).includes("tableId"),
        fault: { kind: "respond", statusCode: 429, headers: { "retry-after": "20" } },
      });
      const late = await pulumi(["up", "--yes", "--skip-preview"]);
      service.clearFaults();
      await up();

      expect(preview.output).toContain("+ 2 to create");
      expect(late.output).toContain("customTimeouts, 2 s");
      expect(late.output).toContain("[notCreated]");
      expect(service.webhooks.map(({ url }) => url)).toContain("https://example.com/2");
    });
  });

  it("is no update by a flag, so that what is made of it stays known in previews", async () => {
    await withPlugin(async ({ service, up, pulumi, declareProject }) => {
      const projectWith = (flags: object) => ({
        resources: {
          first: { type: "dbwebhooks:Webhook", properties: webhookArgs(flags) },
          second: {
            type: "dbwebhooks:Webhook",
            properties: webhookArgs({
              url: `https://example.com/${interpolated("first.webhookId")}`,
            }),
          },
        },
        outputs: {},
      });
      await declareProject(projectWith({}));
      await up();
      await declareProject(projectWith({ allowInsecureUrl: true }));

      const preview = await pulumi(["preview", "--expect-no-changes"]);
      await up();

      expect(preview.exitCode, preview.output).toBe(0);
      expect(service.counts).toMatchObject({ posts: 2, deletes: 0 });
    });
  });

  it("takes over a webhook with adopt", async () => {
    await withPlugin(async ({ service, declare, up, pulumi, outputs, stateText }) => {
      const { id, secret } = await createByHand(service);
      const adopt = { id: Number(id.split("/")[1]), secret };
      await declare({ orders: { args: webhookArgs({ adopt }) } });

      const { output } = await up();
      const again = await pulumi(noop);
      await declare({ orders: { args: webhookArgs() } });
      const without = await pulumi(noop);

      expect([again.exitCode, without.exitCode]).toEqual([0, 0]);
      expect(methods(service)).toEqual([]);
      expect(await outputs()).toEqual({ ordersSecret: secret });
      for (const text of [output, await stateText()]) expect(text).not.toContain(secret);
    });
  });

  it("shows drift after a refresh with listing, and what is gone is created again", async () => {
    await withPlugin(
      async ({ service, declare, up, pulumi, outputs, resources }) => {
        await declare({ orders: { args: webhookArgs() }, lost: { args: webhookArgs() } });
        await up();
        const { ordersSecret } = await outputs();
        const { orders, lost } = await resources();
        const number = (id = "") => Number(id.split("/")[1]);
        service.updateWebhook(number(orders?.id), { url: "https://example.com/elsewhere" });
        service.removeWebhook(number(lost?.id));
        service.clearRequests();

        const { output } = await pulumi(["refresh", "--yes", "--skip-preview"]);

        expect(output).toMatch(/\(orders\):\n +warning: Drift of webhook \d+ of database/);
        expect(output).toMatch(/\(lost\):\n +warning: The service no longer has webhook \d+ of/);
        expect(methods(service)).toEqual(["GET"]);
        expect(await resources()).toEqual({
          orders: expect.objectContaining({
            outputs: expect.objectContaining({ url: "https://example.com/elsewhere" }),
          }),
        });
        const { output: preview } = await pulumi(["preview", "--diff"]);
        // What the service has comes first, just before a secret changes.
        expect(preview).toMatch(/~ url *: "https:\/\/example.com\/elsewhere" => "https:\/\/ex/);
        await up();
        expect(service.webhooks).toHaveLength(2);
        expect((await outputs()).ordersSecret).not.toBe(ordersSecret);
      },
      { listing: true },
    );
  });
});

describe("An explicit provider of the native plugin", () => {
  const projectOf = (args: object) => ({
    resources: {
      eu: { type: "pulumi:providers:dbwebhooks", properties: args },
      orders: {
        type: "dbwebhooks:Webhook",
        properties: webhookArgs(),
        options: { provider: interpolated("eu") },
      },
    },
  });

  it("keeps its key as ciphertext, changes it in place, and replaces for another base URL", async () => {
    const service = await startLocalService({ apiKeys: ["old-api-key", "new-api-key"] });
    await using next = await startLocalService({ apiKeys: ["new-api-key"] });
    await withStack(
      async ({ up, pulumi, declareProject, stateText }) => {
        const args = { baseUrl: service.baseUrl, apiKey: "old-api-key", timeoutSeconds: 20 };
        await declareProject(projectOf(args));
        await up();
        expect(await stateText()).not.toContain("old-api-key");
        service.clearRequests();

        await declareProject(projectOf({ ...args, apiKey: "new-api-key" }));
        const changed = await up();
        expect(changed.output).toContain("~ 1 updated");
        expect(changed.output).not.toContain("-api-key");
        expect(service.requests).toEqual([]);

        const moved = { baseUrl: next.baseUrl, apiKey: "new-api-key" };
        await declareProject(projectOf({ ...moved, otherBaseUrls: [service.baseUrl] }));
        const preview = await pulumi(["preview", "--diff"]);
        await up();
        expect(preview.output).toContain("dbwebhooks:baseUrl changes");
        expect(preview.output).not.toMatch(/- baseUrl/);
        expect([service.webhooks.length, next.webhooks.length]).toEqual([0, 1]);
        // The new key was in force at once.
        expect(service.requests[0]?.headers.authorization).toBe("Bearer new-api-key");
      },
      { service, program: yamlProgram, config: {} },
    );
    expect(next.webhooks).toEqual([]);
  });

  it("lists all that is wrong with its arguments in preview", async () => {
    await withPlugin(
      async ({ service, pulumi, declareProject }) => {
        await declareProject(projectOf({ apiKey: "key with space", timeoutSeconds: 0 }));

        const { exitCode, output } = await pulumi(["preview"]);

        expect(exitCode).not.toBe(0);
        for (const problem of [
          "dbwebhooks:baseUrl: is not set; give baseUrl to the Provider",
          "dbwebhooks:apiKey: must be the key alone",
          "dbwebhooks:timeoutSeconds: must be",
        ]) {
          expect(output).toContain(problem);
        }
        expect(output).not.toContain("key with space");
        expect(service.requests).toEqual([]);
      },
      { config: {} },
    );
  });
});
