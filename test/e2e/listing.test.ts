import { beforeAll, describe, expect, it } from "vitest";
import { javascriptProgram, type Webhooks, webhookArgs, yamlProgram } from "../helpers/programs.js";
import { noPromptFlags, type StoredWebhooks, shareStack } from "../helpers/stack.js";

const webhooks: Webhooks = {
  secretUrl: { args: { url: "https://example.com/old-token" }, hasSecretUrl: true },
  changedUrl: {},
  inactive: {},
  gone: {},
  unlisted: { args: { databaseId: "base_unlisted" } },
};
const otherUrl = "https://example.com/other";

describe.each([javascriptProgram, yamlProgram])("With listing, through $name", (program) => {
  const stack = shareStack({ program, service: { listing: true } });
  let created: StoredWebhooks;
  let refreshed: StoredWebhooks;
  const idOf = (name: string) => Number(created[name]?.id.split("/").at(-1));

  describe("a refresh after changes at the service", () => {
    let output: string;

    beforeAll(async () => {
      const { service, configure, declare, pulumi, storedWebhooks, up } = stack();
      await configure({ "dbwebhooks:listing": "true", "dbwebhooks:retrySeconds": "0" });
      await declare(webhooks);
      await up();
      created = await storedWebhooks();
      service.updateWebhook(idOf("secretUrl"), {
        url: "https://example.com/new-token",
        events: ["table.created"],
        tableId: "tbl_x",
      });
      service.updateWebhook(idOf("changedUrl"), { url: otherUrl });
      service.updateWebhook(idOf("unlisted"), { url: otherUrl });
      service.updateWebhook(idOf("inactive"), { active: false });
      service.removeWebhook(idOf("gone"));
      const fault = { kind: "respond", statusCode: 403 } as const;
      service.inject({ on: "GET", databaseId: "base_unlisted", fault });
      service.clearRequests();

      ({ output } = await pulumi(["refresh", ...noPromptFlags]));
      refreshed = await storedWebhooks();
    });

    it("reports each change, and the list that is unavailable", () => {
      expect(output).toMatch(`Drift of webhook ${idOf("secretUrl")} `);
      expect(output).toMatch(`Drift of webhook ${idOf("changedUrl")} `);
      expect(output).toMatch(`switched off webhook ${idOf("inactive")} `);
      expect(output).toMatch(`no longer has webhook ${idOf("gone")} `);
      expect(output).toMatch(/base_unlisted\b.*\bGET .* returned 403/);
      // The program does not run, so Pulumi cannot compare the webhooks with it.
      expect(output).not.toContain("Replacing");
    });

    it("stores a changed url, and removes a webhook that is gone", () => {
      expect(refreshed.changedUrl?.outputs).toMatchObject({ url: otherUrl });
      expect(refreshed).not.toHaveProperty("gone");
    });

    it("keeps the state of a webhook that is inactive or cannot be listed", () => {
      expect(refreshed.inactive?.outputs).toMatchObject(webhookArgs());
      expect(refreshed.unlisted?.outputs.url).toBe(webhookArgs().url);
    });

    it("neither shows nor stores in clear text the url that replaced a secret one", () => {
      expect(output + JSON.stringify(refreshed)).not.toMatch(/(old|new)-token/);
    });
  });

  it("replaces in the next up the webhooks that were changed or are gone, and no other", async () => {
    const { exitCode, output } = await stack().pulumi(["up", ...noPromptFlags, "--diff"]);

    expect(exitCode, output).toBe(0);
    expect(output).toMatch(/~ url *: "https:\/\/example.com\/other" => "https:\/\/ex/);
    expect(output).not.toMatch(/(old|new)-token/);
    const after = await stack().storedWebhooks();
    const kept = Object.keys(webhooks).filter((name) => after[name]?.id === created[name]?.id);
    expect(kept).toEqual(["inactive", "unlisted"]);
    expect(Object.values(after).map(({ id }) => id)).toEqual(
      expect.arrayContaining(stack().service.webhooks.map(program.idOf)),
    );
    expect(stack().service.webhooks).toHaveLength(Object.keys(webhooks).length);
  });
});
