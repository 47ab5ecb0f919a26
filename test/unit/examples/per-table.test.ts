import * as pulumi from "@pulumi/pulumi";
import { expect, it, onTestFinished } from "vitest";

it("examples/per-table exports the secrets as one output that Pulumi marks as secret", async () => {
  pulumi.runtime.setAllConfig({
    "project:tables": '["tbl_orders"]',
    "project:tbl_orders": "https://example.com/hooks/orders",
  });
  onTestFinished(() => pulumi.runtime.setAllConfig({}));
  await pulumi.runtime.setMocks({
    newResource: ({ inputs }) => ({ id: "1", state: { ...inputs, secret: pulumi.secret("s") } }),
    call: ({ inputs }) => inputs,
  });

  const { secrets } = await import("../../../examples/per-table/index.ts");

  expect(pulumi.Output.isInstance(secrets) && (await pulumi.isSecret(secrets))).toBe(true);
});
