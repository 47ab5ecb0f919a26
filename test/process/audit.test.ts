import { writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../helpers/commands.js";
import { repository, withDirectory } from "../helpers/directory.js";

/** Runs the audit with an npm that prints this report. */
function audit(report: object) {
  return withDirectory(async (directory) => {
    const npm = `#!/bin/sh\ncat <<'END'\n${JSON.stringify(report)}\nEND\n`;
    await writeFile(join(directory, "npm"), npm, { mode: 0o755 });
    const PATH = [directory, dirname(process.execPath), process.env.PATH].join(delimiter);
    const program = join(repository, "tools/audit.mts");
    return await run(process.execPath, [program], { directory, environment: { PATH } });
  });
}

describe("The audit", () => {
  it.each([
    { result: "fails", kind: "a bundled package", name: "zod", exitCode: 1 },
    { result: "fails", kind: "a dependency", name: "hono", exitCode: 1 },
    { result: "passes", kind: "a development dependency", name: "vitest", exitCode: 0 },
  ])("$result when $kind has a vulnerability", async ({ name, exitCode }) => {
    const found = { name, severity: "high", nodes: [`node_modules/${name}`] };

    expect(await audit({ vulnerabilities: { [name]: found } })).toMatchObject({ exitCode });
  });

  it("exits with another code when npm does not report vulnerabilities", async () => {
    expect(await audit({ message: "405 Method Not Allowed" })).toMatchObject({ exitCode: 3 });
  });
});
