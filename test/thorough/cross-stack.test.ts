import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect, it } from "vitest";
import { run, succeed } from "../helpers/commands.ts";
import { withExample } from "../helpers/example.ts";
import { noPromptFlags } from "../helpers/stack.ts";

it("The consumer of examples/cross-stack fails if Pulumi cannot decrypt the secret of the producer", async () => {
  await using service = await startLocalService();
  await withExample("cross-stack", async ({ directory, environment }) => {
    const producer = {
      directory: `${directory}/producer`,
      environment: {
        ...environment,
        DBWEBHOOKS_BASE_URL: service.baseUrl,
        DBWEBHOOKS_API_KEY: service.apiKey,
      },
    };
    const consumer = {
      directory: `${directory}/consumer`,
      environment: { ...environment, PULUMI_CONFIG_PASSPHRASE: "another" },
    };
    await succeed("pulumi", ["stack", "init", "dev"], producer);
    await succeed("pulumi", ["up", ...noPromptFlags], producer);
    await succeed("pulumi", ["stack", "init", "dev"], consumer);

    const { exitCode, output } = await run("pulumi", ["up", ...noPromptFlags], consumer);

    expect(exitCode, output).not.toBe(0);
    expect(output).toContain("Pulumi cannot decrypt it");
    await succeed("pulumi", ["destroy", ...noPromptFlags], producer);
  });
});
