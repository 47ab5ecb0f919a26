import { writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { withDirectory } from "../helpers/directory.js";
import { run } from "../helpers/pulumi.js";

/** Runs the audit with an npm that answers this. */
function audit(answer: object) {
  return withDirectory(async (directory) => {
    const npm = `#!/bin/sh\ncat <<'END'\n${JSON.stringify(answer)}\nEND\n`;
    await writeFile(join(directory, "npm"), npm, { mode: 0o755 });
    const PATH = [directory, dirname(process.execPath), process.env.PATH].join(delimiter);
    const program = join(__dirname, "../../tools/audit.mts");
    return await run(process.execPath, [program], { directory, environment: { PATH } });
  });
}

it.each([
  ["a package that is bundled", "zod", 1],
  ["a dependency", "hono", 1],
  ["a development dependency", "vitest", 0],
])("An audit that finds a vulnerability of %s ends with its exit code", async (_, name, code) => {
  const found = { name, severity: "high", nodes: [`node_modules/${name}`] };

  const { exitCode, output } = await audit({ vulnerabilities: { [name]: found } });

  expect(exitCode, output).toBe(code);
  expect(output.includes(`${name}: high`)).toBe(code === 1);
});

it("An audit without an answer says so, and is no success", async () => {
  const { exitCode, stderr } = await audit({ message: "405 Method Not Allowed" });

  expect(exitCode).toBe(3);
  expect(stderr).toContain("NOT AUDITED");
});
