import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { javascriptProgram, yamlProgram } from "../helpers/programs.ts";
import { noPromptFlags } from "../helpers/stack.ts";
import {
  keys,
  moved,
  refused,
  removeLeftWebhooks,
  type TwoServices,
  unchanged,
  webhooks,
  webhooksOf,
  withTwoServices,
} from "../helpers/two-services.ts";

// The tests follow the heading "The base URL has changed" in docs/troubleshooting.md.

const variablesOf = ({ baseUrl }: LocalService, apiKey: string) => {
  return { DBWEBHOOKS_BASE_URL: baseUrl, DBWEBHOOKS_API_KEY: apiKey };
};
const oneDeletion = { isSuccess: true, sentToOld: [`DELETE Bearer ${keys.old}`], sentToNew: [] };

describe.each([javascriptProgram, yamlProgram])(
  "A deletion that is left at the old base URL, through $name,",
  (program) => {
    /** Replaces all webhooks with `--replace`, with another service in the environment. */
    const replaceAll = async ({ stack, newService, up }: TwoServices) => {
      await stack.declare(webhooks);
      await up();
      const stored = await stack.storedWebhooks();
      const flags = Object.values(stored).flatMap(({ urn }) => ["--replace", urn]);
      const { sentToNew } = moved;
      const left = { isSuccess: false, sentToOld: [], sentToNew };
      expect(await up(variablesOf(newService, keys.new), flags)).toMatchObject(left);
      return stored;
    };

    it("ends with the old settings as variables and the new ones in a Provider", async () => {
      await withTwoServices(program, async (services) => {
        const { stack, oldService, newService, up } = services;
        const { orders } = await replaceAll(services);
        const next = { baseUrl: newService.baseUrl, apiKey: keys.new };
        await stack.declare({ ...webhooks, orders: { provider: "next" } }, { next });

        const target = ["--target", orders?.urn ?? ""];
        const targeted = await up(variablesOf(oldService, keys.old), target);
        await stack.declare(webhooksOf("next"), { next });
        const ended = await up(variablesOf(oldService, keys.old));

        expect([targeted, ended]).toMatchObject([oneDeletion, oneDeletion]);
        expect(await up()).toMatchObject(unchanged);
      });
    });

    it("ends when the webhook is deleted at the service and in an exported state", async () => {
      await withTwoServices(program, async (services) => {
        const { oldService, newService, up, configure } = services;
        await replaceAll(services);

        for (const { id } of oldService.webhooks) oldService.removeWebhook(id);
        await removeLeftWebhooks(services);

        // The configuration is for the end of the test, which destroys the stack without variables.
        await configure(newService, keys.new);
        expect(await up(variablesOf(newService, keys.new))).toMatchObject(unchanged);
      });
    });

    it("of webhooks that left the program, or in destroy, ends with the old settings as variables", async () => {
      await withTwoServices(program, async (services) => {
        const { stack, oldService, newService, run, up, configure } = services;
        const variables = variablesOf(oldService, keys.old);
        await stack.declare(webhooks);
        await up();
        const { orders } = await stack.storedWebhooks();
        await configure(newService, keys.new);
        await up();
        const destroy = ["destroy", ...noPromptFlags];
        expect(await run(destroy)).toMatchObject(refused);
        await stack.declare({});
        expect(await up()).toMatchObject(refused);

        const targeted = await up(variables, ["--target", orders?.urn ?? ""]);
        const ended = await run(destroy, variables);

        expect([targeted, ended]).toMatchObject([oneDeletion, oneDeletion]);
      });
    });
  },
);
