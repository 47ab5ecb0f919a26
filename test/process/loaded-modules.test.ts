import { describe, expect, it } from "vitest";
import { dynamicAdapter, startAdapter } from "../helpers/adapters/adapters.js";
import { someArgs } from "../helpers/builders.js";
import { run } from "../helpers/commands.js";
import { repository } from "../helpers/directory.js";

const baseUrl = "http://127.0.0.1:9";
/** The source of a provider whose creations return the files that its process has loaded. */
const providerThatListsFiles = `exports.handler = () => ({
  create: async () => ({ id: "1", outs: { files: Object.keys(require.cache) } }),
})`;

/** The files of this package, and the names of other packages, among these paths. */
function namesOf(paths: readonly string[]): string[] {
  const names = paths.map(
    (path) =>
      /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path.replace(`${repository}/`, ""),
  );
  return [...new Set(names)].sort();
}

describe("Pulumi's provider process", () => {
  it("loads the HTTP client with the first request, and not for a check or a diff", async () => {
    const settings = { baseUrl, apiKey: "key", retrySeconds: "0" };
    await using running = await startAdapter(dynamicAdapter, settings);
    const loadedFiles = async (source: string) => {
      const { outs } = await running.calls.create({ ...someArgs(), __provider: source });
      return outs.files as string[];
    };
    // The sources differ, because Pulumi caches the module that it makes of each.
    const atStart = await loadedFiles(providerThatListsFiles);

    const { inputs } = await running.check(someArgs());
    const state = { ...inputs, baseUrl, secret: "secret" };
    await running.diff("1", state, inputs);
    const afterDiff = await loadedFiles(`${providerThatListsFiles};`);
    const error = await running.delete("2", state);
    const afterRequest = await loadedFiles(`${providerThatListsFiles};;`);

    expect(namesOf(afterDiff.filter((file) => !atStart.includes(file)))).toEqual([
      "dist/common.js",
      "dist/provider.js",
      "dist/zod.js",
      "fastest-levenshtein",
    ]);
    expect(error).toContain("127.0.0.1:9");
    expect(namesOf(afterRequest.filter((file) => !afterDiff.includes(file)))).toEqual([
      "dist/http.js",
      "dist/p-queue.js",
      "dist/rate-limiter.js",
      "dist/rolldown-runtime.js",
      "dist/undici.js",
    ]);
  });
});

describe("A program", () => {
  it.each([
    { entry: "pulumi-dbwebhooks", file: "dist/index.js" },
    { entry: "pulumi-dbwebhooks/native", file: "dist/native.js" },
  ])("that imports $entry loads neither zod nor the HTTP client", async ({ entry, file }) => {
    const script = `require("@pulumi/pulumi");
      const before = Object.keys(require.cache);
      require("${entry}");
      const files = Object.keys(require.cache).filter((file) => !before.includes(file));
      console.log(JSON.stringify(files));`;

    const { stdout } = await run(process.execPath, ["-e", script], { directory: repository });

    expect(namesOf(JSON.parse(stdout))).toEqual([
      "dist/common.js",
      file,
      "dist/resource-base.js",
      "dist/rolldown-runtime.js",
      "fastest-levenshtein",
    ]);
  });
});
