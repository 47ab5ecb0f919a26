import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { someArgs } from "../helpers/builders.js";
import { withDirectory } from "../helpers/directory.js";
import type { ProviderProcess } from "../helpers/shells/grpc-provider.js";
import { pluginFile, startPlugin } from "../helpers/shells/native-shell.js";

const text = readFileSync(pluginFile, "utf8");

/** A text of a module's own, outside of its functions. */
const marks = {
  undici: "undici:client:sendHeaders",
  "the queue": "PQueue=class extends",
  zod: "$ZodAsyncError=class extends",
};

/** Which of these modules the plugin has evaluated at the end of `use`. */
async function modulesEvaluatedBy(use: (provider: ProviderProcess) => Promise<unknown>) {
  const ranges = await withDirectory(async (directory) => {
    await using provider = await startPlugin(
      { "dbwebhooks:baseUrl": "http://127.0.0.1:9", "dbwebhooks:apiKey": "key" },
      {
        DBWEBHOOKS_RETRY_SECONDS: "0",
        NODE_V8_COVERAGE: directory,
        // Coverage is written when a process exits, and not when a signal ends it.
        NODE_OPTIONS: `--import="data:text/javascript,process.on('SIGINT',()=>process.exit())"`,
      },
    );
    await use(provider);
    const exited = once(provider.child, "exit");
    provider.child.kill("SIGINT");
    await exited;
    return coveredRanges(directory);
  });
  return Object.entries(marks)
    .filter(([, mark]) => isEvaluated(ranges, mark))
    .map(([name]) => name);
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

function coveredRanges(directory: string): Range[] {
  const [file = ""] = readdirSync(directory);
  const { result } = JSON.parse(readFileSync(join(directory, file), "utf8")) as {
    result: { url: string; functions: { ranges: Range[] }[] }[];
  };
  const script = result.find(({ url }) => url.endsWith("/pulumi-resource-dbwebhooks"));
  return script?.functions.flatMap(({ ranges }) => ranges) ?? [];
}

function isEvaluated(ranges: readonly Range[], mark: string): boolean {
  const at = text.indexOf(mark);
  expect(at, mark).toBeGreaterThan(0);
  const [innermost] = ranges
    .filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset)
    .sort((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset));
  return (innermost?.count ?? 0) > 0;
}

describe("the file of the plugin", () => {
  it("evaluates neither undici nor the queue to check and to compare", async () => {
    const evaluated = await modulesEvaluatedBy(async (provider) => {
      const { inputs, failures } = await provider.check(someArgs());
      const state = { ...inputs, baseUrl: "http://127.0.0.1:9", secret: "secret", webhookId: "1" };
      const { replacesList } = await provider.diff("base_abc123/1", state, inputs);
      expect({ failures, replacesList }).toEqual({ failures: [], replacesList: [] });
    });

    expect(evaluated).toEqual(["zod"]);
  });

  it("evaluates them with the first request", async () => {
    const evaluated = await modulesEvaluatedBy(async (provider) => {
      const state = { ...someArgs(), baseUrl: "http://127.0.0.1:9", secret: "secret" };
      await expect(provider.delete("base_abc123/1", state)).rejects.toThrow("127.0.0.1:9");
    });

    expect(evaluated).toEqual(["undici", "the queue", "zod"]);
  });

  it("holds nothing but ASCII, which V8 reads in half the time", () => {
    expect(text).toMatch(/^[\0-\x7f]*$/);
  });
});
