import { execFile } from "node:child_process";
import { join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { ProviderProcess } from "../helpers/grpc-provider.js";
import { webhookInputs, withProviderProcess } from "../helpers/provider-process.js";

const repository = join(__dirname, "../..");

const listingText = `exports.handler = () => ({
  create: async () => ({ id: "1", outs: { files: Object.keys(require.cache) } }),
})`;

/** What is loaded by `use`; files of this package as they are named, all else by its package. */
async function modulesLoadedBy(use: (provider: ProviderProcess) => Promise<unknown>) {
  const config = {
    "dbwebhooks:baseUrl": "https://tables.example.com",
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
    return namesOf(after.filter((file) => !before.includes(file)));
  });
}

function namesOf(files: readonly string[]): string[] {
  const names = files.map((file) => {
    const path = relative(repository, file).split(sep).join("/");
    return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path;
  });
  return [...new Set(names)].sort();
}

describe("Pulumi's provider process", () => {
  it("loads neither undici, nor the queue, nor zod to check and to compare", async () => {
    const loaded = await modulesLoadedBy(async (provider) => {
      const checked = await provider.check(webhookInputs());
      const olds = { ...checked.inputs, baseUrl: "https://tables.example.com", secret: "secret" };
      const compared = await provider.diff("1", olds, checked.inputs);
      expect(compared.replacesList).toEqual([]);
    });

    expect(loaded).toEqual([
      "dist/common.js",
      "dist/provider.js",
      "dist/zod.js",
      "fastest-levenshtein",
    ]);
  });

  it("loads undici with the first request", async () => {
    const loaded = await modulesLoadedBy(async (provider) => {
      const state = { ...webhookInputs(), baseUrl: "http://127.0.0.1:9", secret: "secret" };
      await expect(provider.delete("1", state)).rejects.toThrow("127.0.0.1:9");
    });

    expect(loaded).toContain("undici");
  });
});

describe("A program", () => {
  it("loads only what declares webhooks", async () => {
    const script = `require("@pulumi/pulumi");
      const before = Object.keys(require.cache);
      require("pulumi-dbwebhooks");
      const files = Object.keys(require.cache).filter((file) => !before.includes(file));
      process.stdout.write(JSON.stringify(files));`;

    const { stdout } = await promisify(execFile)(process.execPath, ["-e", script], {
      cwd: repository,
    });

    expect(namesOf(JSON.parse(stdout))).toEqual([
      "dist/common.js",
      "dist/index.js",
      "dist/rolldown-runtime.js",
      "fastest-levenshtein",
    ]);
  });
});
