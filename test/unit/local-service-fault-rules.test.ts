import { describe, expect, it } from "vitest";
import { type FaultRule, startLocalService } from "../../src/local-service/index.js";
import { createWebhook, startService } from "../helpers/local-service.js";

const commit = "commit must be true or false";
const reset = { kind: "resetAfterCommit" } as const;

describe("a malformed fault rule", () => {
  it.each<[unknown, string]>([
    [undefined, "the rule must be an object"],
    [{}, "fault must be an object with a kind"],
    [{ fault: { kind: "delay" } }, "fault.ms must be"],
    [{ fault: { kind: "delay", ms: -1 } }, "fault.ms must be"],
    [{ fault: { kind: "delay", ms: 1, commit: 1 } }, `fault.${commit}`],
    [{ fault: { kind: "dealy", ms: 1 } }, "fault.kind is not known; did you mean delay?"],
    [{ fault: {} }, "fault.kind is not known; there are delay, hold,"],
    [{ fault: { kind: "hold", comit: true } }, "fault.comit is not known; did you mean commit?"],
    [{ fault: { kind: "respond" } }, "fault.statusCode must be"],
    [{ fault: { kind: "respond", statusCode: 199 } }, "fault.statusCode must be"],
    [{ fault: { kind: "respond", statusCode: 600 } }, "fault.statusCode must be"],
    [{ fault: { kind: "respond", statusCode: 204, body: "" } }, "fault.body must be absent"],
    [{ fault: { kind: "respond", statusCode: 200, headers: { a: "1\n2" } } }, "fault.headers must"],
    [{ fault: { kind: "respond", statusCode: 200, headers: { "a b": "" } } }, "fault.headers must"],
    [{ fault: { kind: "respond", statusCode: 200, body: Symbol() } }, "fault.body must be JSON"],
    [{ fault: { kind: "fields", set: 1 } }, "fault.set must be"],
    [{ fault: { kind: "fields", remove: "id" } }, "fault.remove must be"],
    [{ fault: { kind: "alter", text: "half" } }, "fault.text must be a function"],
    [{ fault: [reset, { kind: "delay" }] }, "fault[1].ms must be"],
    [{ fault: reset, on: "post" }, 'on must be "POST", "DELETE", "GET" or "any"'],
    [{ fault: reset, where: true }, "where must be a function"],
    [{ fault: reset, databaseId: 1 }, "databaseId must be a string"],
    [{ fault: reset, skip: -1 }, "skip must be"],
    [{ fault: reset, times: 1.5 }, "times must be"],
    [{ fault: reset, probability: 2 }, "probability must be"],
    [{ fault: reset, seed: "1" }, "seed must be"],
    [{ fault: reset, time: 1 }, "time is not known; did you mean times?"],
  ])("is refused when it is injected: %j", async (rule, problem) => {
    const service = await startService();

    expect(() => service.inject(rule as FaultRule)).toThrow(problem);
    expect((await createWebhook(service)).statusCode).toBe(201);
  });

  it("is refused with all its problems at once, by the start too", async () => {
    const rule = {
      on: "PUT",
      skip: -1,
      fault: [{ kind: "delay", ms: "1" }, { kind: "fields" }, 7],
    };
    const start = startLocalService({ faults: [{ fault: reset }, rule as unknown as FaultRule] });

    await expect(start).rejects.toThrow(
      /^fault rule: fault\[0\]\.ms must be .*; fault\[2\] must be .*; on must be .*; skip must be .*\.$/,
    );
    await expect(start).rejects.toThrow(TypeError);
  });
});
