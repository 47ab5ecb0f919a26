import { describe, expect, it } from "vitest";
import { secret, someArgs } from "../helpers/builders.js";
import { succeed } from "../helpers/commands.js";
import { repository } from "../helpers/directory.js";

/** Runs a script, and returns the files that it has loaded at each of its calls of `loaded()`. */
async function loadedBy(script: string): Promise<string[]> {
  const loaded = "const loaded = () => console.log(Object.keys(require.cache).join());";
  const args = ["-e", `${loaded} (async () => { ${script} })()`];
  const { stdout } = await succeed(process.execPath, args, { directory: repository });
  return stdout.trim().split("\n");
}

const zod = /dist\/zod\.js/;
const httpClient = /dist\/(http|undici)\.js/;

describe("The dynamic provider", () => {
  it("loads the HTTP client with the first request, and only zod for a check and a diff", async () => {
    const baseUrl = "http://127.0.0.1:9";

    const [afterDiff, afterRequest] = await loadedBy(`
      process.env.DBWEBHOOKS_BASE_URL = "${baseUrl}";
      process.env.DBWEBHOOKS_API_KEY = "key";
      process.env.DBWEBHOOKS_RETRY_SECONDS = "0";
      const provider = require("pulumi-dbwebhooks/provider");
      const args = ${JSON.stringify(someArgs())};
      const state = { ...args, baseUrl: "${baseUrl}", secret: "${secret}" };
      await provider.check({}, args);
      await provider.diff("1", state, args);
      loaded();
      await provider.delete("2", state).catch(loaded);
    `);

    expect(afterDiff).toMatch(zod);
    expect(afterDiff).not.toMatch(httpClient);
    expect(afterRequest).toMatch(httpClient);
  });
});

describe("A program", () => {
  it.each([
    { entry: "pulumi-dbwebhooks", file: "dist/index.js" },
    { entry: "pulumi-dbwebhooks/native", file: "dist/native.js" },
  ])("that imports $entry loads neither zod nor the HTTP client", async ({ entry, file }) => {
    const [loaded] = await loadedBy(`require("${entry}"); loaded();`);

    expect(loaded).toContain(file);
    expect(loaded).not.toMatch(zod);
    expect(loaded).not.toMatch(httpClient);
  });
});
