import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { writeJson } from "../helpers/directory.js";
import { createWebhook } from "../helpers/local-service.js";
import {
  interpolated,
  javascriptProgramOfPlugin,
  type Program,
  yamlProgram,
} from "../helpers/programs.js";
import { type TestStack, webhookArgs, withStack } from "../helpers/stack.js";

const databaseId = "base_abc123";
const type = "dbwebhooks:index:Webhook";
const noop = ["up", "--yes", "--skip-preview", "--expect-no-changes"];

/** A webhook that somebody has created by hand. */
interface ByHand {
  /** As Pulumi knows it. */
  readonly id: string;
  readonly secret: string;
}

/** Runs a test with webhooks that were created by hand, and a stack that lists. */
async function withWebhooks(
  program: Program,
  count: number,
  use: (stack: TestStack, webhooks: readonly ByHand[]) => Promise<void>,
): Promise<void> {
  const service = await startLocalService({ listing: true });
  const { databaseId: _, ...body } = webhookArgs() as Record<string, unknown>;
  const webhooks: ByHand[] = [];
  for (let at = 0; at < count; at++) {
    const { json } = await createWebhook(service, { databaseId, body });
    webhooks.push({ id: `${databaseId}/${json.id}`, secret: json.secret });
  }
  service.clearRequests();
  await withStack(
    async (stack) => {
      await stack.configure({ "dbwebhooks:listing": "true" });
      await use(stack, webhooks);
    },
    { service, program },
  );
}

function secretsOf(webhooks: readonly ByHand[]): Record<string, string> {
  const secrets = Object.fromEntries(webhooks.map(({ id, secret }) => [id, secret]));
  return { DBWEBHOOKS_IMPORT_SECRET: JSON.stringify(secrets) };
}

/** All that the backend holds: states, their copies, histories. */
async function textBelow(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map((file) => readFile(join(file.parentPath, file.name), "utf8"));
  return (await Promise.all(texts)).join("\n");
}

/** Asserts that nothing was changed at the service, and that nothing shows a secret. */
function expectOnlyRead(
  { requests }: LocalService,
  webhooks: readonly ByHand[],
  texts: readonly string[],
): void {
  expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  for (const { secret } of webhooks) {
    expect(texts.join("\n")).not.toContain(secret);
  }
}

describe("pulumi import", () => {
  it("takes over a webhook with its secret, and the next up changes nothing", async () => {
    await withWebhooks(yamlProgram, 1, async (stack, webhooks) => {
      const { service, pulumi, declare, outputs, stateText } = stack;
      const [{ id, secret }] = webhooks as [ByHand];

      const without = await pulumi(["import", type, "orders", id, "--yes"]);
      const imported = await pulumi(["import", type, "orders", id, "--yes", "--protect=false"], {
        DBWEBHOOKS_IMPORT_SECRET: secret,
      });
      await declare({ orders: { args: webhookArgs() } });
      const again = await pulumi(noop);
      const up = await pulumi(["up", "--yes", "--skip-preview"]);

      expect(without.exitCode).not.toBe(0);
      expect(without.output).toContain("DBWEBHOOKS_IMPORT_SECRET is not set");
      expect(imported.exitCode, imported.output).toBe(0);
      expect(again.exitCode, again.output).toBe(0);
      expect(await outputs()).toEqual({ ordersSecret: secret });
      const texts = [without, imported, again, up].map(({ output }) => output);
      expectOnlyRead(service, webhooks, [...texts, await stateText()]);
    });
  });

  it("takes over many from a file, into a component", async () => {
    await withWebhooks(javascriptProgramOfPlugin, 3, async (stack, webhooks) => {
      const { service, pulumi, directory, declareText, outputs, stateText } = stack;
      const name = (at: number) => `orders-${at}`;
      await writeJson(join(directory, "import.json"), {
        resources: [
          { type: "my:index:Team", name: "team", component: true },
          ...webhooks.map(({ id }, at) => ({ type, name: name(at), id, parent: "team" })),
        ],
      });
      await declareText(`
        const pulumi = require("@pulumi/pulumi");
        const team = new pulumi.ComponentResource("my:index:Team", "team");
        for (const at of ${JSON.stringify([...webhooks.keys()])}) {
          const args = { ...${JSON.stringify(webhookArgs())}, secret: undefined };
          const webhook = new pulumi.CustomResource("${type}", "orders-" + at, args, { parent: team });
          exports["secret" + at] = webhook.secret;
        }
      `);

      const flags = ["--yes", "--protect=false", "--generate-code=false"];
      const imported = await pulumi(
        ["import", "--file", "import.json", ...flags],
        secretsOf(webhooks),
      );
      const again = await pulumi(noop);

      expect(imported.exitCode, imported.output).toBe(0);
      expect(again.exitCode, again.output).toBe(0);
      expect(Object.values(await outputs())).toEqual(webhooks.map(({ secret }) => secret));
      expectOnlyRead(service, webhooks, [imported.output, again.output, await stateText()]);
    });
  });
});

describe("An imported url", () => {
  it("is stored encrypted, and a mismatch does not show it", async () => {
    await withWebhooks(yamlProgram, 2, async (stack, webhooks) => {
      const { service, pulumi, directory, declareProject } = stack;
      const [byOption, byCommand] = webhooks as [ByHand, ByHand];
      const secretUrl = { "fn::secret": "https://example.com/path-token" };
      for (const { id } of webhooks) {
        service.updateWebhook(Number(id.split("/")[1]), { url: secretUrl["fn::secret"] });
      }
      const projectOf = (url: unknown) => ({
        resources: {
          orders: {
            type: "dbwebhooks:Webhook",
            properties: webhookArgs({ url }),
            options: { import: byOption.id },
          },
        },
      });

      await declareProject(projectOf({ "fn::secret": "https://example.com/other-path" }));
      const refused = await pulumi(
        ["up", "--yes", "--skip-preview", "--diff"],
        secretsOf(webhooks),
      );
      // The code that Pulumi generates shows the url, whatever the state does.
      const flags = ["--yes", "--protect=false", "--generate-code=false"];
      const command = ["import", type, "again", byCommand.id, ...flags];
      const imported = await pulumi(command, secretsOf(webhooks));

      expect(refused.exitCode).not.toBe(0);
      expect(imported.exitCode, imported.output).toBe(0);
      const state = await textBelow(join(directory, "..", "state"));
      for (const text of [refused.output, imported.output, state]) {
        expect(text).not.toMatch(/path-token|other-path/);
      }
    });
  });
});

describe("The resource option import", () => {
  it("takes over a webhook, and its removal changes nothing", async () => {
    await withWebhooks(yamlProgram, 1, async (stack, webhooks) => {
      const { service, pulumi, declare, outputs, stateText } = stack;
      const [{ id, secret }] = webhooks as [ByHand];
      await declare({ orders: { args: webhookArgs(), opts: { import: id } } });

      const imported = await pulumi(["up", "--yes"], secretsOf(webhooks));
      await declare({ orders: { args: webhookArgs() } });
      const again = await pulumi(noop);

      expect(imported.exitCode, imported.output).toBe(0);
      expect(imported.output).toContain("= 1 imported");
      expect(again.exitCode, again.output).toBe(0);
      expect(await outputs()).toEqual({ ordersSecret: secret });
      expectOnlyRead(service, webhooks, [imported.output, again.output, await stateText()]);
    });
  });

  it("replaces nothing when the declaration differs from the webhook", async () => {
    await withWebhooks(yamlProgram, 1, async ({ service, pulumi, declare }, webhooks) => {
      const [{ id }] = webhooks as [ByHand];
      const args = webhookArgs({ url: "https://example.com/other" });
      await declare({ orders: { args, opts: { import: id } } });

      const { exitCode, output } = await pulumi(["up", "--yes"], secretsOf(webhooks));

      expect(exitCode).not.toBe(0);
      expect(output).toContain(
        "previously-imported resources that still specify an ID may not be replaced",
      );
      expect(output).not.toContain("Replacing webhook");
      expectOnlyRead(service, webhooks, [output]);
      service.removeWebhook(Number(id.split("/")[1]));
    });
  });
});

describe("A webhook with two resources", () => {
  it("is named in preview and in up, and stays until the last of them is removed", async () => {
    await withWebhooks(yamlProgram, 1, async (stack, webhooks) => {
      const { service, pulumi, declare, up, outputs } = stack;
      const [{ id, secret }] = webhooks as [ByHand];
      const imported = { args: webhookArgs(), opts: { import: id } };
      await declare({ orders: imported, again: imported });

      const both = await pulumi(["up", "--yes"], secretsOf(webhooks));

      const warnings = both.output.match(/warning: Two resources manage webhook 1 [^\n]*/g) ?? [];
      expect(warnings.length, both.output).toBeGreaterThanOrEqual(2);
      expect(warnings[0]).toContain(`:${type}::orders`);
      expect(warnings[0]).toContain(`:${type}::again`);

      // A webhook that is created in the same run does not change what is known of these.
      const fresh = { args: webhookArgs({ url: "https://example.com/fresh" }) };
      await declare({ orders: { args: webhookArgs() }, fresh });
      await up();
      await declare({ renamed: imported, fresh });
      await pulumi(["up", "--yes", "--skip-preview"], secretsOf(webhooks));

      expect(await outputs()).toMatchObject({ renamedSecret: secret });
      expect(service.counts).toMatchObject({ deletes: 0 });
      expect(both.output).not.toContain(secret);
    });
  });
});

describe("A webhook that is read, not managed", () => {
  it("gives its secret as a secret, and destroy leaves it", async () => {
    await withWebhooks(yamlProgram, 1, async (stack, webhooks) => {
      const { service, pulumi, declareProject, outputs, stateText } = stack;
      const [{ id, secret }] = webhooks as [ByHand];
      await declareProject({
        resources: { orders: { type: "dbwebhooks:Webhook", get: { id } } },
        outputs: { ordersSecret: interpolated("orders.secret"), url: interpolated("orders.url") },
      });

      const read = await pulumi(["up", "--yes"], secretsOf(webhooks));
      const stored = await outputs();
      const destroyed = await pulumi(["destroy", "--yes", "--skip-preview"]);

      expect(read.exitCode, read.output).toBe(0);
      expect(stored).toEqual({ ordersSecret: secret, url: "https://example.com/hooks/orders" });
      expect(destroyed.exitCode).toBe(0);
      expect(service.webhooks).toHaveLength(1);
      expectOnlyRead(service, webhooks, [read.output, await stateText()]);
      service.removeWebhook(Number(id.split("/")[1]));
    });
  });
});
