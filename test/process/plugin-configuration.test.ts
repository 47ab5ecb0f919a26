import { LogSeverity } from "@pulumi/pulumi/proto/engine_pb.js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { apiKey, someArgs, unknownMarkers } from "../helpers/builders.js";
import type { ProviderProcess } from "../helpers/shells/grpc-provider.js";
import { startPlugin } from "../helpers/shells/native-shell.js";
import { struct } from "../helpers/shells/provider-calls.mjs";

const secretMark = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
const defaultNames = [
  "default",
  "default_0_1_0",
  "default_0_1_0_alpha_1",
  "default_0_1_0_https_/example.com/plugins",
  "default_github_/api.github.com/example",
];

/** What CheckConfig makes of a provider's arguments. */
async function checkConfig(
  plugin: ProviderProcess,
  name: string,
  args: Record<string, unknown>,
): Promise<{ inputs: unknown; failures: (readonly [string, string])[] }> {
  const request = new messages.CheckRequest()
    .setUrn(`urn:pulumi:test::webhooks::pulumi:providers:dbwebhooks::${name}`)
    .setName(name)
    .setNews(struct(args));
  const response = await plugin.call<messages.CheckResponse>("checkConfig", request);
  const failures = response.getFailuresList();
  return {
    inputs: response.getInputs()?.toJavaScript(),
    failures: failures.map((failure) => [failure.getProperty(), failure.getReason()]),
  };
}

function configure(plugin: ProviderProcess, name: string, args: Record<string, unknown>) {
  return plugin.call(
    "configure",
    new messages.ConfigureRequest().setName(name).setArgs(struct(args)),
  );
}

describe("CheckConfig of an explicit provider", () => {
  it("lists all problems and repeats no value", async () => {
    await using plugin = await startPlugin();
    const args = { apiKey: `${apiKey} `, timeoutSeconds: 0, listing: "yes", baseURL: "x" };

    const { inputs, failures } = await checkConfig(plugin, "eu", args);

    expect(failures.map(([property, reason]) => [property, reason.split(": ")[0]])).toEqual([
      ["", "baseURL"],
      ["", "dbwebhooks:baseUrl"],
      ["", "dbwebhooks:apiKey"],
      ["", "dbwebhooks:timeoutSeconds"],
      ["", "dbwebhooks:listing"],
    ]);
    expect(failures[1]?.[1]).toContain("give baseUrl to the Provider or set DBWEBHOOKS_BASE_URL");
    expect(JSON.stringify(failures)).not.toContain(apiKey);
    expect(inputs).toEqual({ ...args, apiKey: { ...secretMark, value: args.apiKey } });
  });

  it.each(["eu", "default_0_1_0"])("gives the key back as a secret: %s", async (name) => {
    await using plugin = await startPlugin();
    const baseUrl = "https://tables.example.com";

    const { inputs } = await checkConfig(plugin, name, { baseUrl, apiKey });

    expect(inputs).toEqual({ baseUrl, apiKey: { ...secretMark, value: apiKey } });
  });

  it("takes what is not given from the environment", async () => {
    await using plugin = await startPlugin(undefined, { DBWEBHOOKS_API_KEY: apiKey });

    const { failures } = await checkConfig(plugin, "eu", { baseUrl: "https://eu.example.com" });

    expect(failures).toEqual([]);
  });

  it("takes values in the envelope of a secret, and numbers and flags as such", async () => {
    await using plugin = await startPlugin();

    const { failures } = await checkConfig(plugin, "eu", {
      baseUrl: "https://eu.example.com",
      apiKey: { ...secretMark, value: apiKey },
      timeoutSeconds: 20,
      listing: true,
      version: "0.1.0",
    });

    expect(failures).toEqual([]);
  });

  it.each(Object.entries(unknownMarkers))(
    "waits while a value is not known yet, and returns it as it is: %s",
    async (_, unknown) => {
      await using plugin = await startPlugin();
      const args = { baseUrl: "not one", apiKey: unknown };

      expect(await checkConfig(plugin, "eu", args)).toEqual({ inputs: args, failures: [] });
    },
  );
});

describe("CheckConfig of the default provider", () => {
  it.each(defaultNames)(
    "leaves problems to the webhooks, and warns about unknown names: %s",
    async (name) => {
      await using plugin = await startPlugin();

      const { failures } = await checkConfig(plugin, name, { timeoutSecond: "30" });

      expect(failures).toEqual([]);
      expect(plugin.engine.lines).toEqual([
        {
          urn: "",
          severity: LogSeverity.WARNING,
          line: expect.stringContaining("Stack configuration dbwebhooks:timeoutSecond: "),
        },
      ]);
    },
  );
});

describe("Configure", () => {
  it("takes values in the envelope of a secret", async () => {
    await using service = await startLocalService({ apiKeys: [apiKey] });
    await using plugin = await startPlugin({
      baseUrl: service.baseUrl,
      apiKey: { ...secretMark, value: apiKey },
    });

    await plugin.create(someArgs());

    expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
  });

  it.each([
    ...defaultNames.map((name) => [name, "environment-key"] as const),
    ["eu", "argument-key"] as const,
  ])("lets the environment win for a default provider alone: %s", async (name, winner) => {
    await using service = await startLocalService({ apiKeys: ["environment-key", "argument-key"] });
    await using plugin = await startPlugin(undefined, { DBWEBHOOKS_API_KEY: "environment-key" });
    await configure(plugin, name, { baseUrl: service.baseUrl, apiKey: "argument-key" });

    await plugin.create(someArgs());

    expect(service.requests[0]?.headers.authorization).toBe(`Bearer ${winner}`);
  });

  it("never fails: what is wrong is a failure of the first check, and of a creation", async () => {
    await using plugin = await startPlugin({ baseUrl: "nowhere", listing: { a: 1 } });

    const { failures } = await plugin.check(someArgs());

    expect(failures.map((failure) => failure.split(": ")[0])).toEqual([
      "dbwebhooks:baseUrl",
      "dbwebhooks:apiKey",
      "dbwebhooks:listing",
    ]);
    await expect(plugin.create(someArgs())).rejects.toMatchObject({
      details: expect.stringContaining("Nothing was sent"),
    });
  });
});
