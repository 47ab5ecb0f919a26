import { afterEach, expect, it, vi } from "vitest";
import { readAccount } from "../../../src/cli/webhooks/account.ts";
import { apiKey } from "../../helpers/builders.ts";
import { throttled } from "../../helpers/transport.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

it("A line beside the result goes to stderr, and names no flag of Pulumi", () => {
  vi.stubEnv("DBWEBHOOKS_BASE_URL", "https://tables.example.com/");
  vi.stubEnv("DBWEBHOOKS_API_KEY", apiKey);
  const stdout = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const { settings, reporter, onDelay } = readAccount();
  const request = { method: "DELETE", url: new URL(settings.baseUrl) } as const;

  onDelay({ kind: "pause", delayMs: 5_001, request, outcome: throttled(5_001) });
  reporter.warn("It may be gone.");

  expect(stdout).not.toHaveBeenCalled();
  expect(stderr.mock.calls).toEqual([
    [expect.stringMatching(/rate of requests.* 6 s(?!.*--parallel).*\n$/)],
    ["warning: It may be gone.\n"],
  ]);
});
