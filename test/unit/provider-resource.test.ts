import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it } from "vitest";
import { Provider } from "../../src/dynamic/provider-resource.js";
import { secretMark } from "../helpers/builders.js";

const registered: pulumi.runtime.MockResourceArgs[] = [];

beforeEach(async () => {
  registered.length = 0;
  await pulumi.runtime.setMocks({
    call: () => ({}),
    newResource: (args) => {
      registered.push(args);
      return { id: "provider", state: args.inputs };
    },
  });
});

describe("Provider", () => {
  it("registers a provider of Pulumi's dynamic package with its settings as text", async () => {
    const provider = new Provider("eu", {
      baseUrl: "https://eu.example.com",
      timeoutSeconds: 20,
      allowInsecureBaseUrl: false,
    });

    await new Promise((resolve) => provider.urn.apply(resolve));

    expect(registered).toMatchObject([
      {
        type: "pulumi:providers:pulumi-nodejs",
        inputs: {
          "dbwebhooks:baseUrl": "https://eu.example.com",
          "dbwebhooks:timeoutSeconds": "20",
          "dbwebhooks:allowInsecureBaseUrl": "false",
          "dbwebhooks:isExplicit": "true",
        },
      },
    ]);
  });

  it("hands over its key as a secret, and nothing else as one", async () => {
    const provider = new Provider("eu", { apiKey: "key-token", baseUrl: "https://eu.example.com" });

    await new Promise((resolve) => provider.urn.apply(resolve));

    expect(registered[0]?.inputs).toEqual({
      "dbwebhooks:apiKey": expect.objectContaining({ ...secretMark, value: "key-token" }),
      "dbwebhooks:baseUrl": "https://eu.example.com",
      "dbwebhooks:isExplicit": "true",
    });
  });

  it("refuses arguments that do not exist, all at once, with the nearest names", () => {
    const create = () => new Provider("eu", { apikey: "key-token", timeout: 5 } as object);

    expect(create).toThrow(/^Provider eu: apikey: .*\bapiKey\b.*; timeout: /);
    expect(create).not.toThrow("key-token");
  });
});
