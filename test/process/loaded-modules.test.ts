import { expect, it } from "vitest";
import { secret, someArgs } from "../helpers/builders.js";
import { succeed } from "../helpers/commands.js";
import { repository } from "../helpers/directory.js";

const baseUrl = "http://127.0.0.1:9";
const checkAndDiff = `
  process.env.DBWEBHOOKS_BASE_URL = "${baseUrl}";
  process.env.DBWEBHOOKS_API_KEY = "key";
  process.env.DBWEBHOOKS_RETRY_SECONDS = "0";
  const provider = require("pulumi-dbwebhooks/provider");
  const args = ${JSON.stringify(someArgs())};
  const state = { ...args, baseUrl: "${baseUrl}", secret: "${secret}" };
  await provider.check({}, args);
  await provider.diff("1", state, args);
`;
const request = `await provider.delete("2", state).catch(() => {});`;

it.each([
  { code: "the main entry", script: `require("pulumi-dbwebhooks");`, large: "none" },
  { code: "./native", script: `require("pulumi-dbwebhooks/native");`, large: "none" },
  { code: "a check and a diff", script: checkAndDiff, large: "zod" },
  { code: "a request", script: checkAndDiff + request, large: "http, undici, zod" },
])("$code loads these of the large modules: $large", async ({ script, large }) => {
  const printLoaded = `console.log(Object.keys(require.cache).join("\\n"))`;
  const args = ["-e", `(async () => { ${script} ${printLoaded} })()`];

  const { stdout } = await succeed(process.execPath, args, { directory: repository });

  const loaded = stdout.match(/(?<=dist\/)(http|undici|zod)(?=\.js$)/gm) ?? [];
  expect(loaded.sort().join(", ") || "none").toBe(large);
});
