import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { type TestStack, webhookArgs, withStack } from "../helpers/stack.js";

/** Runs a test with a service that lists, and a stack that uses that. */
async function withListing(use: (stack: TestStack) => Promise<void>): Promise<void> {
  const service = await startLocalService({ listing: true });
  await withStack(
    async (stack) => {
      await stack.configure({
        "dbwebhooks:listing": "true",
        "dbwebhooks:retrySeconds": "1",
        "dbwebhooks:timeoutSeconds": "3",
      });
      await use(stack);
    },
    { service },
  );
}

const refresh = ["refresh", "--yes", "--skip-preview"];

describe("refresh with listing", () => {
  it("drops a webhook that was deleted outside, and the next up creates it with a warning before", async () => {
    await withListing(async ({ service, declare, up, pulumi, resources, outputs }) => {
      await declare({
        orders: { args: webhookArgs() },
        other: { args: webhookArgs({ url: "https://example.com/other" }) },
      });
      await up();
      const lost = (await resources()).orders;
      service.removeWebhook(Number(lost?.id));

      const { output } = await pulumi(refresh);
      const left = Object.keys(await resources());
      const before = service.counts.posts;
      await up();

      expect(output).toContain(
        `The service no longer has webhook ${lost?.id} of database base_abc123. The next "pulumi up" creates a new one, with a new secret.`,
      );
      expect(left).toEqual(["other"]);
      expect(service.counts.posts - before).toBe(1);
      const { ordersSecret } = await outputs();
      expect(service.webhooks.map(({ secret }) => secret)).toContain(ordersSecret);
    });
  });

  it("reports what was changed outside, keeps the secrets, and says what is switched off", async () => {
    await withListing(async ({ service, declareText, up, pulumi, resources, outputs }) => {
      // The url of the first is a secret: what came in its place is one too.
      await declareText(`
        const pulumi = require("@pulumi/pulumi");
        const { Webhook } = require("pulumi-dbwebhooks");
        const args = ${JSON.stringify(webhookArgs())};
        const hidden = new Webhook("hidden", { ...args, url: pulumi.secret("https://example.com/old-token") });
        const quiet = new Webhook("quiet", args);
        exports.secrets = pulumi.all([hidden.secret, quiet.secret]);
      `);
      await up();
      const state = await resources();
      const secrets = await outputs();
      const [hiddenId, quietId] = [state.hidden, state.quiet].map((webhook) => Number(webhook?.id));
      service.updateWebhook(hiddenId as number, {
        url: "https://example.com/new-token",
        events: ["table.created"],
        tableId: "tbl_x",
      });
      service.updateWebhook(quietId as number, { active: false });

      const { output } = await pulumi(refresh);
      const preview = await pulumi(["preview", "--diff"]);

      expect(output).toContain(
        `Drift of webhook ${hiddenId} of database base_abc123: url, events, tableId.`,
      );
      expect(output).toContain(
        `The service has switched off webhook ${quietId} of database base_abc123`,
      );
      expect(preview.output).toContain(
        `Replacing webhook ${hiddenId} of database base_abc123: url changes, events changes, tableId changes.`,
      );
      for (const text of [output, preview.output, JSON.stringify(await resources())]) {
        expect(text).not.toMatch(/(old|new)-token/);
      }
      expect(await outputs()).toEqual(secrets);
    });
  });

  it("reports what was changed outside while adopt names it, and only that", async () => {
    await withListing(async ({ service, declare, up, pulumi, resources, outputs }) => {
      await declare({ orders: { args: webhookArgs() } });
      await up();
      const { id = "" } = (await resources()).orders ?? {};
      const { ordersSecret: secret } = await outputs();
      await declare({ orders: { args: webhookArgs({ adopt: { id, secret } }) } });
      await up();
      service.updateWebhook(Number(id), { url: "https://example.com/other" });

      const { exitCode, output } = await pulumi(refresh);

      expect(exitCode, output).toBe(0);
      expect(output).toContain(" of database base_abc123: url.");
      expect(output).not.toMatch(/Replacing|Replace /);
      expect((await resources()).orders?.outputs).toMatchObject({
        url: "https://example.com/other",
      });
      expect(service.counts.posts).toBe(1);
    });
  });

  it("changes nothing when the list cannot be had, and says so once", async () => {
    await withListing(async ({ service, declare, up, pulumi, outputs }) => {
      await declare({ one: { args: webhookArgs() }, two: { args: webhookArgs() } });
      await up();
      const secrets = await outputs();
      service.inject({
        on: "GET",
        fault: { kind: "respond", statusCode: 403, body: { error: { code: "FORBIDDEN" } } },
      });

      const { exitCode, stdout } = await pulumi([...refresh, "--expect-no-changes"]);

      const diagnostics = stdout.slice(stdout.indexOf("Diagnostics:"));
      expect(diagnostics.match(/could be looked up: GET \S+ answered 403/g)).toHaveLength(1);
      expect([exitCode, await outputs()]).toEqual([0, secrets]);
    });
  });
});

describe("a creation in doubt with listing", () => {
  it.each([
    ["500", { kind: "respond", statusCode: 500, commit: true }],
    ["a reset", { kind: "resetAfterCommit" }],
  ] as const)(
    "names what it may have left behind after %s, and deletes nothing",
    async (_case, fault) => {
      await withListing(async ({ service, declare, up, pulumi }) => {
        await declare({ one: { args: webhookArgs() } });
        await up();
        const [managed] = service.webhooks;
        service.inject({ on: "POST", fault, times: 1 });
        await declare({ one: { args: webhookArgs() }, two: { args: webhookArgs() } });

        const { exitCode, output } = await pulumi(["up", "--yes", "--skip-preview"]);

        const left = service.webhooks.find(({ id }) => id !== managed?.id);
        expect(exitCode).not.toBe(0);
        expect(output).toContain(`that this run has not met: ${left?.id}.`);
        expect(service.counts).toMatchObject({ posts: 2, created: 2, deleted: 0 });

        service.removeWebhook(left?.id ?? 0);
      });
    },
  );
});

describe("the warning about a table's events", () => {
  it("is said for each new webhook of one table that selects table events only, and not on a no-op", async () => {
    await withListing(async ({ declare, pulumi }) => {
      const args = webhookArgs({ tableId: "tbl_orders", events: ["table.created"] });
      await declare({ orders: { args } });

      const created = await pulumi(["up", "--yes", "--skip-preview", "--suppress-progress"]);
      const again = await pulumi(["up", "--yes", "--skip-preview", "--suppress-progress"]);

      const warning = /A webhook of table tbl_orders selects only table\.created/g;
      const diagnostics = created.stdout.slice(created.stdout.indexOf("Diagnostics:"));
      expect(diagnostics.match(warning)).toHaveLength(1);
      expect(again.output).not.toMatch(warning);
    });
  });
});

describe("a limit on webhooks", () => {
  it("is named when a replacement is refused, with the way out, which works", async () => {
    await withStack(async ({ service, declare, up, pulumi }) => {
      await declare({ orders: { args: webhookArgs() } });
      await up();
      // A service that holds as many webhooks as it allows.
      const full = { error: { code: "BAD_REQUEST", message: "Too many webhooks" } };
      service.inject({
        on: "POST",
        where: () => service.webhooks.length > 0,
        fault: { kind: "respond", statusCode: 422, body: full },
      });
      const changed = webhookArgs({ url: "https://example.com/changed" });
      await declare({ orders: { args: changed } });

      const refused = await pulumi(["up", "--yes", "--skip-preview"]);
      await declare({ orders: { args: changed, opts: { deleteBeforeReplace: true } } });
      await up();

      expect(refused.output).toContain("set the resource option deleteBeforeReplace: true");
      expect(service.webhooks).toMatchObject([{ url: "https://example.com/changed" }]);
    });
  });
});
