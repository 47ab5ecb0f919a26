import { execFile } from "node:child_process";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { webhookInputs, withProviderProcess } from "../helpers/shells/provider-process.js";

const repository = join(__dirname, "../..");
const baseUrl = "http://127.0.0.1:9";
const listingText = `exports.handler = () => ({
  create: async () => ({ id: "1", outs: { files: Object.keys(require.cache) } }),
})`;

/** Files of this package as they are named, all else by its package. */
function namesOf(paths: readonly string[]): string[] {
  const names = paths.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path);
  return [...new Set(names)].sort();
}

describe("Pulumi's provider process", () => {
  it("loads undici, in parts, and the queue with the first request, not to check and to compare", async () => {
    const config = {
      "dbwebhooks:baseUrl": baseUrl,
      "dbwebhooks:apiKey": "key",
      "dbwebhooks:retrySeconds": "0",
    };
    await withProviderProcess(config, async (provider) => {
      const known = new Set<string>();
      /** What was loaded since the last time. */
      const newFiles = async () => {
        // Another text each time, because Pulumi keeps what it has evaluated.
        const text = `${listingText}${";".repeat(known.size)}`;
        const { outs } = await provider.create(webhookInputs({ __provider: text }));
        const files = (outs.files as string[]).filter((file) => !known.has(file));
        for (const file of files) {
          known.add(file);
        }
        return files.map((file) => relative(repository, file).split(sep).join("/"));
      };
      await newFiles();

      const { inputs } = await provider.check(webhookInputs());
      const state = { ...inputs, baseUrl, secret: "secret" };
      const { replacesList } = await provider.diff("1", state, inputs);
      const ofComparison = await newFiles();
      await expect(provider.delete("2", state)).rejects.toThrow("127.0.0.1:9");
      const ofRequest = await newFiles();

      expect(replacesList).toEqual([]);
      expect(namesOf(ofComparison)).toEqual([
        "dist/common.js",
        "dist/provider.js",
        "dist/zod.js",
        "fastest-levenshtein",
      ]);
      const folders = ofRequest.flatMap(
        (path) => /node_modules\/undici\/(.+)\//.exec(path)?.[1] ?? [],
      );
      expect([...new Set(folders)].sort().join()).toBe(
        "lib/api,lib/core,lib/dispatcher,lib/llhttp,lib/util",
      );
    });
  });
});

describe("A program", () => {
  it.each([
    ["pulumi-dbwebhooks", "dist/index.js"],
    ["pulumi-dbwebhooks/native", "dist/native.js"],
  ])("loads of %s only what declares webhooks", async (entry, file) => {
    const script = `require("@pulumi/pulumi");
      const before = Object.keys(require.cache);
      require("${entry}");
      const files = Object.keys(require.cache).filter((file) => !before.includes(file));
      const { relative } = require("node:path");
      console.log(JSON.stringify(files.map((file) => relative(process.cwd(), file))));`;

    const options = { cwd: repository };
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], options);

    expect(namesOf(JSON.parse(stdout))).toEqual([
      "dist/common.js",
      file,
      "dist/resource-base.js",
      "dist/rolldown-runtime.js",
      "fastest-levenshtein",
    ]);
  });
});
