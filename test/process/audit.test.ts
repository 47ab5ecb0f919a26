import { chmod } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../helpers/commands.ts";
import { repository, withDirectory, writeFiles } from "../helpers/directory.ts";

/** Runs the audit where npm reports a vulnerability in a package. */
const auditWith = (name: string) =>
  withDirectory(async (directory) => {
    const vulnerability = { name, severity: "high", nodes: [`node_modules/${name}`] };
    const report = JSON.stringify({ vulnerabilities: { [name]: vulnerability } });
    await writeFiles(directory, { npm: `#!/bin/sh\necho '${report}'\n` });
    await chmod(join(directory, "npm"), 0o755);
    const environment = { PATH: `${directory}${delimiter}${process.env.PATH}` };
    return run(process.execPath, ["tools/audit.mts"], { directory: repository, environment });
  });

it.each([
  { name: "hono", file: "the local service" },
  { name: "undici", file: "the provider" },
  { name: "@grpc/grpc-js", file: "the plugin" },
])("The audit fails for a vulnerability in $name, which is bundled in $file", async ({ name }) => {
  const { exitCode, stderr } = await auditWith(name);

  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: `${name}: high\n` });
});

it("The audit passes over a vulnerability in a package that no user gets", async () => {
  expect((await auditWith("vitest")).exitCode).toBe(0);
});
