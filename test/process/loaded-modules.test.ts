import { expect, it } from "vitest";
import { secret, someArgs } from "../helpers/builders.ts";
import { succeed } from "../helpers/commands.ts";
import { repository } from "../helpers/directory.ts";

const baseUrl = "http://127.0.0.1:9";
const setUp = `
  process.env.DBWEBHOOKS_BASE_URL = "${baseUrl}";
  process.env.DBWEBHOOKS_API_KEY = "key";
  process.env.DBWEBHOOKS_RETRY_SECONDS = "0";
  const provider = require("pulumi-dbwebhooks/provider");
  const args = ${JSON.stringify(someArgs())};
  const state = { ...args, baseUrl: "${baseUrl}", secret: "${secret}" };
`;
const checkAndDiff = `await provider.check({}, args); await provider.diff("1", state, args);`;
const failingDeletion = `await provider.delete("1", state).catch(() => {});`;

/** Runs a command that sends to a port at which nothing listens, or stops once it has printed. */
const commandLine = (...args: readonly string[]) => `
  process.env.DBWEBHOOKS_BASE_URL = "${baseUrl}";
  process.env.DBWEBHOOKS_API_KEY = "key";
  process.env.DBWEBHOOKS_RETRY_SECONDS = "0";
  process.argv.push("main.js", ...${JSON.stringify(args)});
  process.stderr.write = () => true;
  process.stdout.write = () => process.emit("SIGTERM");
  const ended = new Promise((resolve) => process.once("beforeExit", resolve));
  require("./dist/cli/main.js");
  await ended;
  process.exitCode = 0;
  delete process.stdout.write;
`;

it.each([
  { code: "the dynamic provider", script: `require("pulumi-dbwebhooks");`, loaded: "none" },
  { code: "./native", script: `require("pulumi-dbwebhooks/native");`, loaded: "none" },
  { code: "a check and a diff", script: setUp + checkAndDiff, loaded: "provider" },
  { code: "a deletion", script: setUp + failingDeletion, loaded: "provider, undici, zod" },
  {
    code: "the command list",
    script: commandLine("list", "--database", "base_1"),
    loaded: "undici, zod",
  },
  {
    code: "the command delete",
    script: commandLine("delete", "--database", "base_1", "1"),
    loaded: "undici, zod",
  },
  {
    code: "the command serve",
    script: commandLine("serve", "--port", "0"),
    loaded: "local-service, undici, zod",
  },
])("Of undici, zod, hono and the provider, $code loads: $loaded", async ({ script, loaded }) => {
  const printLoaded = `console.log(Object.keys(require.cache).join("\\n"))`;
  const args = ["-e", `(async () => { ${script} ${printLoaded} })()`];

  const { stdout } = await succeed(process.execPath, args, { directory: repository });

  const names = stdout.match(/(?<=dist\/)(undici|zod|local-service|provider)(?=\.js$)/gm) ?? [];
  expect(names.sort().join(", ") || "none").toBe(loaded);
});
