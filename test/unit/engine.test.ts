import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Engine } from "../../src/core/engine.ts";
import { WebhookProvider } from "../../src/core/provider.ts";
import { secret, someArgs } from "../helpers/builders.ts";
import { errorOf } from "../helpers/error-of.ts";
import { type Answer, refusedUrl, startServer } from "../helpers/http-server.ts";

const exit = vi.spyOn(process, "exit");

beforeEach(() => void exit.mockImplementation(() => undefined as never));

afterEach(() => void exit.mockReset());

describe("a creation that Pulumi can no longer store", () => {
  const stopped =
    "Create webhook in database base_abc123 failed: Pulumi stopped while the service created webhook 17.";

  it.each<[string, Answer, string]>([
    ["is undone", { body: { success: true } }, `${stopped} It was deleted again.`],
    [
      "is named when it cannot be undone",
      { statusCode: 403 },
      `${stopped} Pulumi has not stored it: delete it by hand. It could not be deleted at once: Delete webhook 17 of database base_abc123 failed: `,
    ],
  ])("%s, and the process ends", async (_case, answerToDeletion, text) => {
    await using server = await startServer({ body: { id: 17, secret } }, answerToDeletion);
    const lines: string[] = [];
    const notify = (line: string) => void lines.push(line);
    const gone = new Engine(new URL(await refusedUrl()).host, notify);
    const settings: Record<string, string> = { baseUrl: server.url, apiKey: "key" };
    const source = {
      get: (name: string) => settings[name],
      isExplicit: () => false,
      environment: {},
    };

    const { message } = await errorOf(new WebhookProvider(source, gone).create(someArgs(), notify));

    expect(message.split("DELETE ")[0]).toBe(text);
    // The error itself no longer reaches the engine.
    expect(lines).toEqual([message]);
    expect(server.requests.map(({ method }) => method)).toEqual(["POST", "DELETE"]);
    expect(exit).toHaveBeenCalledOnce();
  });
});

describe("a signal to stop", () => {
  it("is answered with one line while a creation is in flight, and ends the process after it", () => {
    const lines: string[] = [];
    const engine = new Engine(undefined, (line) => void lines.push(line));
    engine.beginCreation();
    const stop = process.listeners("SIGINT").at(-1);

    stop?.("SIGINT");
    stop?.("SIGINT");
    const exitsBefore = exit.mock.calls.length;
    engine.endCreation();

    expect(lines).toEqual([
      "Pulumi is stopping: webhooks whose creation is in flight are deleted again, if the service answers within 5 seconds.",
    ]);
    expect([exitsBefore, exit.mock.calls.length]).toEqual([0, 1]);
    expect(process.listeners("SIGINT")).not.toContain(stop);
  });
});
