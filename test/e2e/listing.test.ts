import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { createWebhook } from "../helpers/local-service.js";
import type { CommandResult } from "../helpers/pulumi.js";
import { webhookArgs, withStack } from "../helpers/stack.js";

const refresh = ["refresh", "--yes", "--skip-preview"];
const dropped = { kind: "resetAfterCommit" } as const;
const failed = { kind: "respond", statusCode: 500, commit: true } as const;

describe("listing on the real CLI", () => {
  it("reports what was changed outside, and names what a doubtful creation may have left", async () => {
    const service = await startLocalService({ listing: true });
    await withStack(
      async ({ configure, declareText, up, pulumi, resources, outputs }) => {
        await configure({
          "dbwebhooks:listing": "true",
          "dbwebhooks:retrySeconds": "1",
          "dbwebhooks:timeoutSeconds": "3",
        });
        const { json: adopt } = await createWebhook(service, {
          databaseId: "base_adopted",
          body: { url: "https://example.com/hooks/orders", events: ["record.created"] },
        });
        const declare = (doubtful = {}) => declareText(program(adopt, doubtful));
        await declare();

        await up();

        const before = await resources();
        const secrets = await outputs();
        const ids = Object.fromEntries(
          Object.entries(before).map(([name, { id }]) => [name, Number(id)]),
        ) as Record<string, number>;

        // No list: nothing changes, and that is said once for a database.
        const forbidden = service.inject({
          on: "GET",
          fault: { kind: "respond", statusCode: 403, body: { error: { code: "FORBIDDEN" } } },
        });
        const without = await pulumi([...refresh, "--expect-no-changes"]);
        forbidden.remove();

        expect(diagnosticsOf(without).match(/base_abc123 .*\bGET \S+ .*\b403\b/g)).toHaveLength(1);
        expect([without.exitCode, await outputs()]).toEqual([0, secrets]);

        service.removeWebhook(ids.lost ?? 0);
        service.updateWebhook(ids.hidden ?? 0, {
          url: "https://example.com/new-token",
          events: ["table.created"],
          tableId: "tbl_x",
        });
        service.updateWebhook(ids.quiet ?? 0, { active: false });
        service.updateWebhook(adopt.id, { url: "https://example.com/other" });
        const { output, exitCode } = await pulumi(refresh);
        const drifted = await resources();

        expect(exitCode, output).toBe(0);
        expect(output).toMatch(new RegExp(`\\b${ids.lost} .*\\bbase_abc123\\b`));
        expect(output).toMatch(new RegExp(`\\b${ids.hidden} .*: url, events, tableId\\b`));
        expect(output).toMatch(new RegExp(`\\b${ids.quiet} .*\\bbase_abc123\\b`));
        expect(output).toMatch(new RegExp(`\\b${adopt.id} .*\\bbase_adopted: url\\b(?!,)`));
        // The program does not run, so nothing is said of what it declares.
        expect(output).not.toMatch(/^\s*Replac/m);
        expect(drifted).not.toHaveProperty("lost");
        expect(drifted.adopted?.outputs).toMatchObject({ url: "https://example.com/other" });

        service.updateWebhook(adopt.id, { url: "https://example.com/hooks/orders" });
        await pulumi(refresh);
        const preview = await pulumi(["preview", "--diff"]);

        expect(preview.output).toMatch(
          new RegExp(`\\b${ids.hidden} .*: url\\b.*, events\\b.*, tableId\\b`),
        );
        for (const text of [output, preview.output, JSON.stringify(drifted)]) {
          expect(text).not.toMatch(/(old|new)-token/);
        }

        // What is gone comes back with a new secret, and what may be left behind is named.
        service.inject({ on: "POST", databaseId: "base_reset", fault: dropped });
        service.inject({ on: "POST", databaseId: "base_500", fault: failed });
        service.clearRequests();
        await declare({ reset: "base_reset", failed: "base_500" });
        const doubtful = await pulumi([
          ...["up", "--yes", "--skip-preview", "--continue-on-error"],
        ]);

        const idIn = (databaseId: string) =>
          service.webhooks.findLast((webhook) => webhook.databaseId === databaseId)?.id ?? 0;
        expect(doubtful.exitCode).not.toBe(0);
        for (const database of ["base_reset", "base_500"]) {
          expect(doubtful.output).toMatch(new RegExp(`\\b${database} .*: ${idIn(database)}\\.`));
        }
        // Those and the two that came in place of others.
        expect(service.requests.filter(({ method }) => method === "POST")).toHaveLength(4);
        expect(service.requests.filter(({ path }) => /(reset|500)\/.*\/\d/.test(path))).toEqual([]);
        const { lost: lostSecret, ...rest } = (await outputs()).secrets as Record<string, string>;
        const { secrets: oldSecrets } = secrets as { secrets: Record<string, string> };
        expect(service.webhooks.map(({ secret }) => secret)).toContain(lostSecret);
        expect(lostSecret).not.toBe(oldSecrets.lost);
        expect(rest).toMatchObject({ quiet: oldSecrets.quiet, adopted: oldSecrets.adopted });
        for (const database of ["base_reset", "base_500"]) {
          service.removeWebhook(idIn(database));
        }
      },
      { service },
    );
  });
});

/** What a command says once, at its end; its progress repeats that. */
function diagnosticsOf({ stdout }: CommandResult): string {
  return stdout.slice(stdout.indexOf("Diagnostics:"));
}

/**
 * Declares webhooks of one database, one of which is adopted from another, and in two more databases
 * one each; `doubtful` adds resources, by name, that are like the one of their database.
 */
function program(adopt: object, doubtful: Readonly<Record<string, string>>): string {
  const args = webhookArgs();
  return `
    const pulumi = require("@pulumi/pulumi");
    const { Webhook } = require("pulumi-dbwebhooks");
    const args = ${JSON.stringify(args)};
    // The url of one is a secret: what comes in its place is one too.
    const webhooks = {
      hidden: new Webhook("hidden", { ...args, url: pulumi.secret("https://example.com/old-token") }),
      quiet: new Webhook("quiet", args),
      lost: new Webhook("lost", { ...args, url: "https://example.com/lost" }),
      adopted: new Webhook("adopted", {
        ...args,
        databaseId: "base_adopted",
        events: ["record.created"],
        adopt: ${JSON.stringify(adopt)},
      }),
      like500: new Webhook("like500", { ...args, databaseId: "base_500" }),
      likeReset: new Webhook("likeReset", { ...args, databaseId: "base_reset" }),
    };
    exports.secrets = pulumi.all(
      Object.fromEntries(Object.entries(webhooks).map(([name, { secret }]) => [name, secret])),
    );
    for (const [name, databaseId] of Object.entries(${JSON.stringify(doubtful)})) {
      // This run knows what the state holds once it has compared that.
      new Webhook(name, { ...args, databaseId }, { dependsOn: Object.values(webhooks) });
    }
  `;
}

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

      expect(refused.output).toContain("deleteBeforeReplace: true");
      expect(service.webhooks).toMatchObject([{ url: "https://example.com/changed" }]);
    });
  });
});
