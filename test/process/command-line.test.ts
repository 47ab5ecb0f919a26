import { describe, expect, it } from "vitest";
import { serve } from "../helpers/cli.js";

describe("pulumi-dbwebhooks serve", () => {
  it("stops when it is told to, even while nobody reads what it writes", async () => {
    const service = await serve();
    service.child.stdout?.pause();
    // Together far more than a pipe and its reader take in.
    const url = `${service.baseUrl}/${"x".repeat(300)}`;
    for (let count = 0; count < 100; count++) {
      await Promise.all(Array.from({ length: 50 }, async () => (await fetch(url)).text()));
    }

    expect(await service.end("SIGINT")).toEqual({ code: 0, signal: null });
  });

  it.each(["0.0.0.0", "::", "::0"])(
    "names no wildcard address in what to paste with --host %s",
    async (host) => {
      const { output, port } = await serve("--host", host, "--allow-remote");

      expect(output()).toContain(`
  pulumi config set dbwebhooks:baseUrl http://ADDRESS_OF_THIS_MACHINE:${port}
  pulumi config set dbwebhooks:allowInsecureBaseUrl true
  pulumi config set --secret dbwebhooks:apiKey local-api-key
`);
    },
  );
});
