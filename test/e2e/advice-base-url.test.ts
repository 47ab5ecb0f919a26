import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { javascriptProgram, yamlProgram } from "../helpers/programs.ts";
import { noPromptFlags, removeFromState, type TestStack } from "../helpers/stack.ts";
import {
  keys,
  moved,
  refused,
  type TwoServices,
  unchanged,
  webhooks,
  webhooksOf,
  withTwoServices,
} from "../helpers/two-services.ts";

// The tests follow the heading "The base URL has changed" in docs/troubleshooting.md, and "The same service at a new
// address" in docs/configuration.md.

const accountOf = ({ baseUrl }: LocalService, apiKey: string) => ({ baseUrl, apiKey });
const movedBack = {
  isSuccess: true,
  sentToOld: Array(2).fill(`POST Bearer ${keys.old}`),
  sentToNew: Array(2).fill(`DELETE Bearer ${keys.new}`),
};

async function baseUrlsOf(stack: TestStack): Promise<readonly unknown[]> {
  return Object.values(await stack.storedWebhooks()).map(({ outputs }) => outputs.baseUrl);
}

describe.each([javascriptProgram, yamlProgram])("Another base URL, through $name,", (program) => {
  it.each<[way: string, before: Record<string, string>, after: Record<string, string>]>([
    ["that the configuration has", {}, {}],
    [
      "that the configuration has, with keys from the environment",
      { DBWEBHOOKS_API_KEY: keys.old },
      { DBWEBHOOKS_API_KEY: keys.new },
    ],
  ])(
    "%s is refused, and three steps move the webhooks to a Provider",
    async (_way, before, after) => {
      await withTwoServices(program, async (services) => {
        const { stack, oldService, newService, run, up, configure } = services;
        const next = accountOf(newService, keys.new);
        await stack.declare(webhooks);
        await up(before);
        await configure(newService, keys.new);
        expect(await run(["preview"], after)).toMatchObject(refused);
        expect(await up(after)).toMatchObject(refused);

        await configure(oldService, keys.old);
        expect(await up(before)).toMatchObject(unchanged);
        await stack.declare(webhooksOf("next"), { next });
        expect(await up(before)).toMatchObject(moved);

        expect(await baseUrlsOf(stack)).toEqual(Array(2).fill(next.baseUrl));
        expect(await up()).toMatchObject(unchanged);
      });
    },
  );

  it("is refused when the address of the last update came from the environment", async () => {
    await withTwoServices(program, async ({ stack, oldService, newService, up, configure }) => {
      await configure(newService, keys.new);
      await stack.declare(webhooks);
      const variables = { DBWEBHOOKS_BASE_URL: oldService.baseUrl, DBWEBHOOKS_API_KEY: keys.old };
      expect(await up(variables)).toMatchObject({ isSuccess: true, sentToNew: [] });

      const { output, ...result } = await up();

      expect(result).toMatchObject(refused);
      expect(output).toMatch(/"The base URL has changed" in .*\[unchanged\]/);
      // The end of the test destroys the stack without variables, with the settings of the last update.
      await configure(oldService, keys.old);
      expect(await up()).toMatchObject(unchanged);
    });
  });

  it("of a Provider that loses its webhooks to the default provider takes two steps, and a webhook that lost its Provider gets it back", async () => {
    await withTwoServices(program, async ({ stack, oldService, newService, up }) => {
      const eu = accountOf(newService, keys.new);
      const main = accountOf(oldService, keys.old);
      await stack.declare(webhooksOf("eu"), { eu });
      await up();
      await stack.declare(webhooks);
      expect(await up()).toMatchObject(refused);
      await stack.declare(webhooksOf("eu"), { eu });
      expect(await up()).toMatchObject(unchanged);

      await stack.declare(webhooksOf("main"), { eu, main });
      expect(await up()).toMatchObject(movedBack);
      await stack.declare(webhooks);

      expect(await up()).toMatchObject(unchanged);
      expect(await baseUrlsOf(stack)).toEqual(Array(2).fill(oldService.baseUrl));
    });
  });

  it("fails a refresh that runs the program, and the next update moves the webhooks", async () => {
    await withTwoServices(program, async ({ stack, newService, run, up }) => {
      await stack.declare(webhooks);
      await up();
      await stack.declare(webhooksOf("next"), { next: accountOf(newService, keys.new) });

      const refreshes = [
        await run(["refresh", ...noPromptFlags, "--run-program"]),
        await up({}, ["--refresh", "--run-program"]),
      ];

      expect(refreshes).toMatchObject([refused, refused]);
      for (const { output } of refreshes)
        expect(output).toMatch(/without --run-program.*\[unchanged\]/);
      expect(await up()).toMatchObject(moved);
      expect(await up()).toMatchObject(unchanged);
    });
  });

  it("of a service that is gone leaves webhooks to remove from the state, and the next update creates them at the new service", async () => {
    await withTwoServices(program, async (services) => {
      const { stack, oldService, newService, up, configure } = services;
      await stack.declare(webhooks);
      await up();
      for (const { id } of oldService.webhooks) oldService.removeWebhook(id);

      await configure(newService, keys.new);
      for (const name of Object.keys(webhooks)) await removeFromState(stack, name);

      expect(await up()).toMatchObject({ ...moved, sentToOld: [] });
    });
  });
});

/** Replaces the old address by another one in an exported state, as the page does. */
async function renameHost({ stack, run }: TwoServices, from: string, to: string): Promise<void> {
  const file = join(stack.directory, "s.json");
  await run(["stack", "export", "--file", file]);
  const exported = await readFile(file, "utf8");
  await writeFile(file, exported.replaceAll(`"${from}"`, `"${to}"`));
  expect(await run(["stack", "import", "--file", file])).toMatchObject({ isSuccess: true });
}

describe.each([javascriptProgram, yamlProgram])(
  "The same service at a new address, through $name,",
  (program) => {
    const renamed = ({ baseUrl }: LocalService) => {
      const url = new URL(baseUrl);
      url.hostname = "localhost";
      return url.origin;
    };

    it("keeps the webhooks of the default provider after a change of the state", async () => {
      await withTwoServices(program, async (services) => {
        const { stack, oldService, run, up } = services;
        await stack.declare(webhooks);
        await up();
        const before = await stack.outputs();

        const address = renamed(oldService);
        await renameHost(services, oldService.baseUrl, address);
        await stack.configure({ "dbwebhooks:baseUrl": address });

        expect(await up()).toMatchObject(unchanged);
        expect(await stack.outputs()).toEqual(before);
        expect(await baseUrlsOf(stack)).toEqual([address, address]);
        // The deletions go to the new address.
        await stack.declare({});
        expect((await run(["up", ...noPromptFlags])).sentToOld).toHaveLength(2);
      });
    });

    it("keeps the webhooks of a Provider after a change of the state", async () => {
      await withTwoServices(program, async (services) => {
        const { stack, oldService, up } = services;
        await stack.declare(webhooksOf("eu"), { eu: accountOf(oldService, keys.old) });
        await up();
        const before = await stack.outputs();

        const address = renamed(oldService);
        await renameHost(services, oldService.baseUrl, address);
        await stack.declare(webhooksOf("eu"), { eu: { baseUrl: address, apiKey: keys.old } });

        expect(await up()).toMatchObject(unchanged);
        expect(await stack.outputs()).toEqual(before);
        expect(await baseUrlsOf(stack)).toEqual([address, address]);
      });
    });
  },
);

describe("The address of a Provider", () => {
  it("of the native plugin cannot change: a preview refuses it, and a second Provider takes the webhooks", async () => {
    await withTwoServices(yamlProgram, async ({ stack, oldService, newService, run, up }) => {
      await stack.declare(webhooksOf("account"), { account: { apiKey: keys.old } });
      await up({ DBWEBHOOKS_BASE_URL: oldService.baseUrl });
      const account = accountOf(newService, keys.new);
      await stack.declare(webhooksOf("account"), { account });

      const preview = await run(["preview"]);
      const update = await up();

      expect([preview, update]).toMatchObject([refused, refused]);
      expect(preview.output).toContain("declare a second Provider");
      await stack.declare(webhooksOf("next"), {
        account: accountOf(oldService, keys.old),
        next: account,
      });
      expect(await up()).toMatchObject(moved);
    });
  });

  it("of the dynamic provider is stored, so that a later command without the variable deletes there", async () => {
    await withTwoServices(javascriptProgram, async ({ stack, oldService, run, up }) => {
      await stack.declare(webhooksOf("account"), { account: { apiKey: keys.old } });
      await up({ DBWEBHOOKS_BASE_URL: oldService.baseUrl });

      const destroy = await run(["destroy", ...noPromptFlags]);

      const { sentToOld } = moved;
      expect(destroy).toMatchObject({ isSuccess: true, sentToOld, sentToNew: [] });
    });
  });
});
