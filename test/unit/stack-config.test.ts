import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it, vi } from "vitest";

const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();

// What was warned of is kept for a run of a program, which is a new copy of the module here.
beforeEach(() => {
  warn.mockClear();
  vi.resetModules();
});

async function warnTwice(secretKeys: string[], config: object) {
  pulumi.runtime.setAllConfig({ ...config }, secretKeys);
  const { warnAboutConfig } = await import("../../src/dynamic/stack-config.js");
  warnAboutConfig();
  warnAboutConfig();
  return warn.mock.calls.map(([line]) => line);
}

describe("the stack's configuration", () => {
  it("is warned of once, for an unknown key and for an API key in plain text", async () => {
    const config = {
      "dbwebhooks:apiKey": "k",
      "dbwebhooks:timeoutSecond": "5",
      "other:apiKey": "k",
    };

    expect(await warnTwice([], config)).toEqual([
      "Stack configuration dbwebhooks:timeoutSecond: is unknown; did you mean timeoutSeconds?",
      'dbwebhooks:apiKey is stored in plain text, in the stack\'s configuration and in its state; run "pulumi config set --secret dbwebhooks:apiKey" and replace the key.',
    ]);
  });

  it("is looked at by a program that declares a webhook", async () => {
    await pulumi.runtime.setMocks({
      call: () => ({}),
      newResource: ({ inputs }) => ({ id: "17", state: inputs }),
    });
    pulumi.runtime.setAllConfig({ "dbwebhooks:apiKey": "k" });
    const { Webhook } = await import("../../src/dynamic/webhook.js");

    const webhook = new Webhook("orders", { databaseId: "b", url: "u", events: [] });
    await new Promise((resolve) => webhook.urn.apply(resolve));

    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^dbwebhooks:apiKey /));
  });

  it.each([
    ["a secret key", ["dbwebhooks:apiKey"], { "dbwebhooks:apiKey": "k" }],
    ["no key", [], { "dbwebhooks:listing": "true" }],
  ])("is not warned of for %s", async (_case, secretKeys, config) => {
    expect(await warnTwice(secretKeys, config)).toEqual([]);
  });
});
