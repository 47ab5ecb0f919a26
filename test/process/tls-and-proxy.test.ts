import { expect, it } from "vitest";
import { adapters } from "../helpers/adapters/adapters.ts";
import { createThroughProxy } from "../helpers/adapters/proxied-creation.ts";
import { apiKey, secret } from "../helpers/builders.ts";

it.each(adapters)(
  "The process of $name reaches the service through its environment's proxy and extra CA certificates",
  async (adapter) => {
    const { created, requests, proxyHeads } = await createThroughProxy(adapter);

    expect(created).toEqual({ id: "17", secret });
    expect(requests).toMatchObject([{ headers: { authorization: `Bearer ${apiKey}` } }]);
    expect(proxyHeads).toEqual([expect.stringMatching(/^CONNECT tables\.example\.test:443 /)]);
    expect(proxyHeads.join()).not.toContain(apiKey);
  },
);
