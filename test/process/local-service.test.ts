import { expect, it } from "vitest";
import { run } from "../helpers/commands.ts";
import { repository } from "../helpers/directory.ts";

/** Starts a local service in a script, and returns the error that Node.js prints. */
async function errorOfStart(options: object, environment = {}): Promise<string> {
  const start = `require("pulumi-dbwebhooks/local-service").startLocalService`;
  const script = `${start}(${JSON.stringify(options)})`;
  const context = { directory: repository, environment };
  return (await run(process.execPath, ["-e", script], context)).stderr;
}

it("A script that passes an unknown option to startLocalService shows the error within a few lines", async () => {
  const stderr = await errorOfStart({ prot: 1 });

  expect(stderr).toContain("TypeError: startLocalService: prot is unknown");
  expect(stderr.length).toBeLessThan(2_000);
});

it("startLocalService says that Node.js is too old", async () => {
  const script = 'Object.defineProperty(process.versions, "node", { value: "22.18.0" });';
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(script)}`;

  const stderr = await errorOfStart({}, { NODE_OPTIONS });

  expect(stderr).toMatch(/needs Node\.js 22\.19 or newer, .* 22\.18\.0\.\]$/m);
});
