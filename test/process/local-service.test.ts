import { expect, it } from "vitest";
import { run } from "../helpers/commands.ts";
import { repository } from "../helpers/directory.ts";

it("startLocalService says that Node.js is too old", async () => {
  const oldVersion = 'Object.defineProperty(process.versions, "node", { value: "22.18.0" });';
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(oldVersion)}`;
  const script = 'require("pulumi-dbwebhooks/local-service").startLocalService()';
  const context = { directory: repository, environment: { NODE_OPTIONS } };

  const { stderr } = await run(process.execPath, ["-e", script], context);

  expect(stderr).toMatch(/needs Node\.js 22\.19 or newer, .* 22\.18\.0\.\]$/m);
});
