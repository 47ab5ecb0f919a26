import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { javascriptProgram, yamlProgram } from "../helpers/programs.js";
import { unasked, webhookArgs, withStack } from "../helpers/stack.js";

// What comes in place of a url that is a secret is one too.
const secretUrl = { "fn::secret": "https://example.com/old-token" };
const names = ["hidden", "shown", "quiet", "lost", "unlisted"];

describe.each([javascriptProgram, yamlProgram])(
  "With listing, a refresh through $name",
  (program) => {
    it("shows what was changed outside, and the next up brings it back", async () => {
      const service = await startLocalService({ listing: true });
      await withStack(
        async ({ configure, declare, pulumi, resources, outputs }) => {
          await configure({ "dbwebhooks:listing": "true", "dbwebhooks:retrySeconds": "0" });
          const changes: Record<string, object> = {
            hidden: { url: secretUrl },
            unlisted: { databaseId: "base_unlisted" },
          };
          const webhooks = names.map((name) => [name, { args: webhookArgs(changes[name]) }]);
          await declare(Object.fromEntries(webhooks));
          await pulumi(["up", ...unasked]);
          const [before, secrets] = [await resources(), await outputs()];
          const ids = names.map((name) => Number(before[name]?.id.split("/").at(-1)));
          const [hidden = 0, shown = 0, quiet = 0, lost = 0, unlisted = 0] = ids;
          const table = { events: ["table.created"], tableId: "tbl_x" };
          service.updateWebhook(hidden, { url: "https://example.com/new-token", ...table });
          for (const id of [shown, unlisted]) {
            service.updateWebhook(id, { url: "https://example.com/elsewhere" });
          }
          service.updateWebhook(quiet, { active: false });
          service.removeWebhook(lost);
          const fault = { kind: "respond", statusCode: 403 } as const;
          service.inject({ on: "GET", databaseId: "base_unlisted", fault });
          service.clearRequests();

          const refreshed = await pulumi(["refresh", ...unasked]);

          const after = await resources();
          expect(refreshed.exitCode, refreshed.output).toBe(0);
          for (const line of [
            `Drift of webhook ${hidden} .*: url, events, tableId\\.`,
            `Drift of webhook ${shown} .*: url\\.`,
            `switched off webhook ${quiet} `,
            `no longer has webhook ${lost} `,
            "base_unlisted could .*\\bGET .* returned 403",
          ]) {
            expect(refreshed.output).toMatch(new RegExp(line));
          }
          // The program does not run, so nothing is said of what it declares.
          expect(refreshed.output).not.toContain("Replacing");
          expect(after).not.toHaveProperty("lost");
          expect(after.shown?.outputs).toMatchObject({ url: "https://example.com/elsewhere" });
          const { url } = webhookArgs() as { url: string };
          expect([after.unlisted?.outputs.url, after.quiet?.outputs.url]).toEqual([url, url]);
          // One list for each database.
          expect(service.requests.map(({ method }) => method)).toEqual(["GET", "GET"]);

          const { exitCode, output } = await pulumi(["up", "--yes", "--diff"]);

          expect(exitCode, output).toBe(0);
          expect(output).toMatch(/~ url *: "https:\/\/example.com\/elsewhere" => "https:\/\/ex/);
          const { hiddenSecret, shownSecret, lostSecret, ...rest } = await outputs();
          expect(secrets).toMatchObject(rest);
          for (const secret of [hiddenSecret, shownSecret, lostSecret]) {
            expect(service.webhooks.map((webhook) => webhook.secret)).toContain(secret);
            expect(Object.values(secrets)).not.toContain(secret);
          }
          expect(service.webhooks).toHaveLength(names.length);
          for (const text of [refreshed.output, output, JSON.stringify(after)]) {
            expect(text).not.toMatch(/(old|new)-token/);
          }
        },
        { service, program },
      );
    });
  },
);
