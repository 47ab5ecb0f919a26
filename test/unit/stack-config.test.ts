import * as pulumi from "@pulumi/pulumi";
import { expect, it, vi } from "vitest";
import { warnAboutConfig } from "../../src/dynamic/stack-config.ts";

it("warns once about an unknown key of the stack's configuration and an API key in plain text", () => {
  pulumi.runtime.setAllConfig({
    "dbwebhooks:apiKey": "key-token",
    "dbwebhooks:timeoutSecond": "5",
    "other:apiKey": "key-token",
  });
  const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();

  warnAboutConfig();
  warnAboutConfig();

  expect(warn.mock.calls).toEqual([
    ["Stack configuration dbwebhooks:timeoutSecond: is unknown; did you mean timeoutSeconds?"],
    [
      'dbwebhooks:apiKey is stored in plain text, in the stack\'s configuration and in its state; run "pulumi config set --secret dbwebhooks:apiKey" and replace the key.',
    ],
  ]);
});
