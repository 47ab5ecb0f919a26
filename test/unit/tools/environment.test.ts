import { expect, it, vi } from "vitest";
import { hermeticEnvironment } from "../../../tools/pulumi-cli/environment.mts";
import { withDirectory } from "../../helpers/directory.ts";

it("The hermetic environment has a home of its own, beside a state of its own", async () => {
  vi.stubEnv("PULUMI_HOME", "/home/of/the/user");
  vi.stubEnv("PULUMI_BACKEND_URL", "https://backend.example.com");

  await withDirectory(async (directory) => {
    expect(await hermeticEnvironment(directory)).toMatchObject({
      PULUMI_HOME: `${directory}/home`,
      PULUMI_BACKEND_URL: `file://${directory}/state`,
    });
  });
});
