import * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { version } from "../../package.json";
import { Provider, Webhook, type WebhookArgs } from "../../src/native/native.ts";
import { secret, secretMark } from "../helpers/builders.ts";

const args: WebhookArgs = {
  databaseId: "base_abc123",
  url: "https://example.com/hooks/orders",
  events: ["record.created"],
};

interface RegisterRequest {
  getVersion(): string;
  getAdditionalsecretoutputsList(): string[];
}

let registered: pulumi.runtime.MockResourceArgs[] = [];
let requests: () => RegisterRequest[];

beforeEach(async () => {
  registered = [];
  await pulumi.runtime.setMocks({
    newResource: (resource) => {
      registered.push(resource);
      const outputs = { webhookId: "42", secret, baseUrl: "https://tables.example.com" };
      return { id: "base_abc123/42", state: { ...args, ...resource.inputs, ...outputs } };
    },
    call: () => ({}),
  });
  // Mocks are not shown all of a request.
  const monitor = pulumi.runtime.getMonitor() as unknown as {
    registerResource(request: RegisterRequest, ...rest: unknown[]): unknown;
  };
  const register = vi.spyOn(monitor, "registerResource");
  requests = () => register.mock.calls.map(([request]) => request);
});

const resolved = <Value>(output: pulumi.Output<Value>): Promise<Value> =>
  new Promise((resolve) => {
    output.apply(resolve);
  });

describe("a Webhook on the plugin", () => {
  it("is registered with its arguments alone, for the plugin of this version", async () => {
    const webhook = new Webhook("orders", { ...args, tableId: "tbl_orders" }, { protect: true });

    await resolved(webhook.id);

    const [resource] = registered;
    expect([resource?.type, resource?.name]).toEqual(["dbwebhooks:index:Webhook", "orders"]);
    expect(resource?.inputs).toStrictEqual({ ...args, tableId: "tbl_orders" });
    expect(requests().map((request) => request.getVersion())).toEqual([version]);
  });

  it("leaves it to the preview to report what is missing", async () => {
    await resolved(new Webhook("orders", undefined as never).id);

    expect(registered[0]?.inputs).toStrictEqual({});
  });

  it("has its secret encrypted, also where the program names other outputs", async () => {
    await resolved(new Webhook("orders", args, { additionalSecretOutputs: ["url"] }).id);

    expect(requests()[0]?.getAdditionalsecretoutputsList().sort()).toEqual(["secret", "url"]);
  });

  it("has outputs that resolve to what the state holds, all tables included", async () => {
    for (const webhook of [
      new Webhook("orders", args),
      Webhook.get("another", "base_abc123/42"),
      new Webhook("imported", args, { import: "base_abc123/42" }),
    ]) {
      const { id, webhookId, databaseId, url, events, tableId, baseUrl } = webhook;
      const outputs = [id, webhookId, databaseId, url, events, tableId, baseUrl, webhook.secret];

      expect(await Promise.all(outputs.map((one) => resolved<unknown>(one)))).toEqual([
        "base_abc123/42",
        "42",
        args.databaseId,
        args.url,
        args.events,
        undefined,
        "https://tables.example.com",
        secret,
      ]);
    }
  });

  it("gives the plugin the secret of an adopted webhook as a secret", async () => {
    await resolved(new Webhook("orders", { ...args, adopt: { id: 42, secret } }).id);

    expect(registered[0]?.inputs.adopt).toMatchObject({
      ...secretMark,
      value: { id: 42, secret },
    });
  });
});

describe("a Provider on the plugin", () => {
  it("has its arguments as text, and its key as a secret", async () => {
    const provider = new Provider("eu", {
      baseUrl: "https://eu.example.com",
      formerBaseUrls: ["https://old.example.com", Promise.resolve("https://older.example.com")],
      apiKey: "key",
      timeoutSeconds: 2.5,
      listing: pulumi.output(true),
      retrySeconds: undefined,
    });
    await resolved(provider.id);

    const [{ type, inputs } = {}] = registered;
    expect(type).toBe("pulumi:providers:dbwebhooks");
    expect(inputs).toMatchObject({
      baseUrl: "https://eu.example.com",
      formerBaseUrls: '["https://old.example.com","https://older.example.com"]',
      apiKey: { ...secretMark, value: "key" },
      timeoutSeconds: "2.5",
      listing: "true",
    });
    expect(inputs).not.toHaveProperty("retrySeconds");
    expect(requests().map((request) => request.getVersion())).toEqual([version]);
  });
});
