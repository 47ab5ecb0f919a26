import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { beforeAll, describe, expect, it } from "vitest";
import { interpolated, javascriptProgram, yamlProgram } from "../helpers/programs.js";
import { shareService, shareStack, unasked, webhookArgs } from "../helpers/stack.js";

const provider = (args: object) => ({ type: "provider" as const, args });
const webhook = (databaseId: string, providerName?: string) => ({
  args: webhookArgs({ databaseId }),
  opts: providerName === undefined ? {} : { provider: interpolated(providerName) },
});
const databasesOf = ({ webhooks }: LocalService) =>
  webhooks.map(({ databaseId }) => databaseId).toSorted();
const requestsOf = ({ requests }: LocalService) =>
  requests.map(({ method, headers }) => `${method} ${headers.authorization}`);

describe.each([javascriptProgram, yamlProgram])("Without a configured stack, $name", (program) => {
  const eu = shareService({ apiKeys: ["eu-key", "eu-next-key"] });
  const stack = shareStack({
    program,
    startService: () => startLocalService({ apiKeys: ["us-key"] }),
    isConfigured: false,
  });

  /** Settings of the default provider; an explicit one takes what its arguments lack from here. */
  const usEnvironment = () => ({
    DBWEBHOOKS_BASE_URL: stack().service.baseUrl,
    DBWEBHOOKS_API_KEY: "us-key",
  });
  const usArgs = () => ({ baseUrl: stack().service.baseUrl, timeoutSeconds: 20 });

  it("names every wrong setting and argument in one preview, without values that may be secret", async () => {
    await stack().declare({
      orders: {
        args: {
          databaseId: "..",
          url: "hooks/path-token",
          events: ["record.create"],
          adopt: { id: "1", secret: "whsec_\n" },
        },
      },
    });

    const { exitCode, output } = await stack().pulumi(["preview"], {
      DBWEBHOOKS_TIMEOUT_SECONDS: "soon",
    });

    expect(exitCode).not.toBe(0);
    for (const problem of [
      /dbwebhooks:baseUrl: .*\bpulumi config set dbwebhooks:baseUrl\b/,
      /dbwebhooks:apiKey: .*\bpulumi config set --secret dbwebhooks:apiKey\b/,
      /dbwebhooks:timeoutSeconds: /,
      /\bdatabaseId: /,
      /\burl: /,
      /\bevents\[0\]: .*record\.created.*allowUnknownEvents/,
      /\badopt\.secret: /,
    ]) {
      expect(output).toMatch(problem);
    }
    expect(output).not.toMatch(/path-token|whsec_|\n\s+at /);
  });

  it("tells an explicit provider without a key where to set one, in preview", async () => {
    await stack().declare({ us: provider(usArgs()), one: webhook("base_one", "us") });

    const { exitCode, output } = await stack().pulumi(["preview"]);

    expect(exitCode).not.toBe(0);
    expect(output).toMatch(/dbwebhooks:apiKey: .*\bProvider\b.*\bDBWEBHOOKS_API_KEY\b/);
    expect(stack().service.requests).toEqual([]);
  });

  describe("with two explicit providers and the environment", () => {
    let output: string;

    beforeAll(async () => {
      await stack().declare({
        us: provider(usArgs()),
        eu: provider({ baseUrl: eu().baseUrl, apiKey: "eu-key" }),
        one: webhook("base_one", "us"),
        two: webhook("base_two", "eu"),
        moves: webhook("base_moves", "us"),
        orders: webhook("base_orders"),
      });
      ({ output } = await stack().up(usEnvironment()));
    });

    it("creates each webhook at the service of its provider", () => {
      expect(databasesOf(stack().service)).toEqual(["base_moves", "base_one", "base_orders"]);
      expect(databasesOf(eu())).toEqual(["base_two"]);
    });

    it("shows and stores neither keys nor secrets in clear text", async () => {
      const texts = [await stack().stateText(), output];

      expect(texts.join("\n")).not.toMatch(/(us|eu)-key|whsec_/);
    });
  });

  describe("with other keys and a webhook that moves to another provider", () => {
    let output: string;

    beforeAll(async () => {
      stack().service.clearRequests();
      await stack().declare({
        us: provider({ ...usArgs(), apiKey: "us-key" }),
        eu: provider({ baseUrl: eu().baseUrl, apiKey: "eu-next-key" }),
        one: webhook("base_one", "us"),
        two: webhook("base_two", "eu"),
        moves: webhook("base_moves", "eu"),
        orders: webhook("base_orders"),
      });
      ({ output } = await stack().up(usEnvironment()));
    });

    it("creates it with the new provider and deletes it with the old one", () => {
      expect(requestsOf(eu()).at(-1)).toBe("POST Bearer eu-next-key");
      expect(requestsOf(stack().service)).toEqual(["DELETE Bearer us-key"]);
    });

    it("changes no other webhook", () => {
      expect(databasesOf(stack().service)).toEqual(["base_one", "base_orders"]);
      expect(databasesOf(eu())).toEqual(["base_moves", "base_two"]);
    });

    it("shows and stores neither keys nor secrets in clear text", async () => {
      const texts = [await stack().stateText(), output];

      expect(texts.join("\n")).not.toMatch(/(us|eu|next)-key|whsec_/);
    });
  });

  it("destroys each webhook with the key of its provider", async () => {
    stack().service.clearRequests();
    eu().clearRequests();

    const { exitCode, output } = await stack().pulumi(["destroy", ...unasked], usEnvironment());

    expect(exitCode, output).toBe(0);
    expect(requestsOf(stack().service)).toEqual(Array(2).fill("DELETE Bearer us-key"));
    expect(requestsOf(eu())).toEqual(Array(2).fill("DELETE Bearer eu-next-key"));
    expect(eu().webhooks).toEqual([]);
  });
});

describe("A base URL that changes in the configuration of the native plugin", () => {
  const next = shareService({ apiKeys: ["next-key"] });
  const stack = shareStack({ program: yamlProgram });

  const declareWith = (service: LocalService, apiKey: string) =>
    stack().declare({
      account: provider({ baseUrl: service.baseUrl, apiKey }),
      explicit: webhook("base_explicit", "account"),
      implicit: webhook("base_implicit"),
    });
  /** The warnings below "Diagnostics:", where Pulumi repeats them. */
  const warningsIn = (output: string) =>
    output.split("\nDiagnostics:\n")[1]?.match(/warning: Webhooks of the provider /g);
  let previewOutput: string;
  let output: string;

  beforeAll(async () => {
    const { service, configure, pulumi, up } = stack();
    await declareWith(service, "local-api-key");
    await up();
    service.clearRequests();
    await configure({ "dbwebhooks:baseUrl": next().baseUrl, "dbwebhooks:apiKey": "next-key" });
    await declareWith(next(), "next-key");
    ({ output: previewOutput } = await pulumi(["preview"]));
    expect([...service.requests, ...next().requests]).toEqual([]);
    ({ output } = await up());
  });

  it("warns once for each provider, in preview and in up", () => {
    expect(warningsIn(previewOutput)).toHaveLength(2);
    expect(warningsIn(output)).toHaveLength(2);
  });

  it("creates webhooks of default and explicit providers with the new account", () => {
    expect(requestsOf(next())).toEqual(Array(2).fill("POST Bearer next-key"));
    expect(databasesOf(next())).toEqual(["base_explicit", "base_implicit"]);
  });

  it("deletes webhooks of default and explicit providers with the old account", () => {
    expect(requestsOf(stack().service)).toEqual(Array(2).fill("DELETE Bearer local-api-key"));
    expect(stack().service.webhooks).toEqual([]);
  });

  it("shows and stores neither keys nor secrets in clear text", async () => {
    const texts = [await stack().stateText(), output];

    expect(texts.join("\n")).not.toMatch(/(next|local-api)-key|whsec_/);
  });

  it("leaves nothing to change", async () => {
    const { exitCode, output } = await stack().pulumi(["preview", "--expect-no-changes"]);

    expect(exitCode, output).toBe(0);
  });
});
