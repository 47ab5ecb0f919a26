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

/** The files of this package, and the names of the other packages. */
function namesOf(paths: readonly string[]): string[] {
  const names = paths.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path);
  return [...new Set(names)].sort();
}

describe("Pulumi's provider process", () => {
  it("loads the bundled HTTP client with the first request, and not to check and to compare", async () => {
    const config = {
      "dbwebhooks:baseUrl": baseUrl,
      "dbwebhooks:apiKey": "key",
      "dbwebhooks:retrySeconds": "0",
    };
    await withProviderProcess(config, async (provider) => {
      const known = new Set<string>();
      /** Returns the files that were loaded since the last call. */
      const newFiles = async () => {
        // The text differs each time, because Pulumi caches the evaluated module.
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
      expect(namesOf(ofRequest)).toEqual([
        "dist/http.js",
        "dist/p-queue.js",
        "dist/rate-limiter.js",
        "dist/rolldown-runtime.js",
        "dist/undici.js",
      ]);
    });
  });
});

describe("A program", () => {
  it.each([
    ["pulumi-dbwebhooks", "dist/index.js"],
    ["pulumi-dbwebhooks/native", "dist/native.js"],
  ])("loads only the declaration of webhooks from %s", async (entry, file) => {
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
