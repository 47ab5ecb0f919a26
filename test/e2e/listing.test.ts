import { beforeAll, describe, expect, it } from "vitest";
import { javascriptProgram, type Webhooks, webhookArgs, yamlProgram } from "../helpers/programs.js";
import { noPromptFlags, shareStack, type TestStack } from "../helpers/stack.js";

const webhooks: Webhooks = {
  hidden: { args: { url: "https://example.com/old-token" }, hasSecretUrl: true },
  moved: {},
  inactive: {},
  gone: {},
  unlisted: { args: { databaseId: "base_unlisted" } },
};
const elsewhere = "https://example.com/elsewhere";

describe.each([javascriptProgram, yamlProgram])("With listing, through $name", (program) => {
  const stack = shareStack({ program, service: { listing: true } });
  type Resources = Awaited<ReturnType<TestStack["resources"]>>;
  let created: Resources;
  let refreshed: Resources;
  const idOf = (name: string) => Number(created[name]?.id.split("/").at(-1));

  describe("a refresh after changes at the service", () => {
    let output: string;

    beforeAll(async () => {
      const { service, configure, declare, pulumi, resources, up } = stack();
      await configure({ "dbwebhooks:listing": "true", "dbwebhooks:retrySeconds": "0" });
      await declare(webhooks);
      await up();
      created = await resources();
      service.updateWebhook(idOf("hidden"), {
        url: "https://example.com/new-token",
        events: ["table.created"],
        tableId: "tbl_x",
      });
      service.updateWebhook(idOf("moved"), { url: elsewhere });
      service.updateWebhook(idOf("unlisted"), { url: elsewhere });
      service.updateWebhook(idOf("inactive"), { active: false });
      service.removeWebhook(idOf("gone"));
      const fault = { kind: "respond", statusCode: 403 } as const;
      service.inject({ on: "GET", databaseId: "base_unlisted", fault });
      service.clearRequests();

      ({ output } = await pulumi(["refresh", ...noPromptFlags]));
      refreshed = await resources();
    });

    it("says what has changed, and which list is unavailable", () => {
      expect(output).toMatch(`Drift of webhook ${idOf("hidden")} `);
      expect(output).toMatch(`Drift of webhook ${idOf("moved")} `);
      expect(output).toMatch(`switched off webhook ${idOf("inactive")} `);
      expect(output).toMatch(`no longer has webhook ${idOf("gone")} `);
      expect(output).toMatch(/base_unlisted\b.*\bGET .* returned 403/);
      // The program does not run, so nothing is known of what it declares.
      expect(output).not.toContain("Replacing");
    });

    it("stores what was changed and removes what is gone", () => {
      expect(refreshed.moved?.outputs).toMatchObject({ url: elsewhere });
      expect(refreshed).not.toHaveProperty("gone");
    });

    it("leaves alone what is inactive or cannot be listed", () => {
      expect(refreshed.inactive?.outputs).toMatchObject(webhookArgs());
      expect(refreshed.unlisted?.outputs.url).toBe(webhookArgs().url);
    });

    it("asks for one list of each database", () => {
      expect(stack().service.requests.map(({ method }) => method)).toEqual(["GET", "GET"]);
    });

    it("neither shows nor stores a url that replaced a secret one in clear text", () => {
      expect(output + JSON.stringify(refreshed)).not.toMatch(/(old|new)-token/);
    });
  });

  it("brings back in the next up what was changed or is gone, and nothing else", async () => {
    const { exitCode, output } = await stack().pulumi(["up", ...noPromptFlags, "--diff"]);

    expect(exitCode, output).toBe(0);
    expect(output).toMatch(/~ url *: "https:\/\/example.com\/elsewhere" => "https:\/\/ex/);
    expect(output).not.toMatch(/(old|new)-token/);
    const after = await stack().resources();
    const kept = Object.keys(webhooks).filter((name) => after[name]?.id === created[name]?.id);
    expect(kept).toEqual(["inactive", "unlisted"]);
    expect(Object.values(after).map(({ id }) => id)).toEqual(
      expect.arrayContaining(stack().service.webhooks.map(program.idOf)),
    );
    expect(stack().service.webhooks).toHaveLength(Object.keys(webhooks).length);
  });
});
