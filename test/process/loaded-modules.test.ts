import { execFile } from "node:child_process";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { ProviderProcess } from "../helpers/shells/grpc-provider.js";
import { webhookInputs, withProviderProcess } from "../helpers/shells/provider-process.js";

const repository = join(__dirname, "../..");

const listingText = `exports.handler = () => ({
  create: async () => ({ id: "1", outs: { files: Object.keys(require.cache) } }),
})`;

/** The files that `use` loads. */
async function modulesLoadedBy(use: (provider: ProviderProcess) => Promise<unknown>) {
  const config = {
    "dbwebhooks:baseUrl": "http://127.0.0.1:9",
    "dbwebhooks:apiKey": "key",
    "dbwebhooks:retrySeconds": "0",
  };
  return withProviderProcess(config, async (provider) => {
    const before = (await provider.create(webhookInputs({ __provider: listingText }))).outs
      .files as string[];
    await use(provider);
    // Another text, because Pulumi keeps what it has evaluated.
    const after = (await provider.create(webhookInputs({ __provider: `${listingText};` }))).outs
      .files as string[];
    return after
      .filter((file) => !before.includes(file))
      .map((file) => relative(repository, file).split(sep).join("/"));
  });
}

/** Files of this package as they are named, all else by its package. */
function namesOf(paths: readonly string[]): string[] {
  const names = paths.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path);
  return [...new Set(names)].sort();
}

describe("Pulumi's provider process", () => {
  it("loads neither undici, nor the queue, nor zod to check and to compare", async () => {
    const loaded = await modulesLoadedBy(async (provider) => {
      const checked = await provider.check(webhookInputs());
      const olds = { ...checked.inputs, baseUrl: "http://127.0.0.1:9", secret: "secret" };
      const compared = await provider.diff("1", olds, checked.inputs);
      expect(compared.replacesList).toEqual([]);
    });

    expect(namesOf(loaded)).toEqual([
      "dist/common.js",
      "dist/provider.js",
      "dist/zod.js",
      "fastest-levenshtein",
    ]);
  });

  it("loads with the first request the parts of undici that it needs", async () => {
    const loaded = await modulesLoadedBy(async (provider) => {
      const state = { ...webhookInputs(), baseUrl: "http://127.0.0.1:9", secret: "secret" };
      await expect(provider.delete("1", state)).rejects.toThrow("127.0.0.1:9");
    });

    const parts = loaded.filter((path) => path.startsWith("node_modules/undici/"));
    const folders = new Set(parts.map((path) => path.split("/").slice(2, -1).join("/")));
    expect([...folders].sort()).toEqual([
      "lib/api",
      "lib/core",
      "lib/dispatcher",
      "lib/llhttp",
      "lib/util",
    ]);
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
      const files = Object.keys(require.cache)
        .filter((file) => !before.includes(file))
        .map((file) => require("node:path").relative(process.cwd(), file));
      process.stdout.write(JSON.stringify(files));`;

    const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], {
      cwd: repository,
    });

    expect(namesOf(JSON.parse(stdout))).toEqual([
      "dist/common.js",
      file,
      "dist/rolldown-runtime.js",
      "fastest-levenshtein",
    ]);
  });
});
