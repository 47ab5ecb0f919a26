import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../helpers/commands.js";
import { repository, withDirectory } from "../helpers/directory.js";

const reportOn = (name: string) => ({
  vulnerabilities: { [name]: { name, severity: "high", nodes: [`node_modules/${name}`] } },
});

it.each([
  { exitCode: 1, result: "a vulnerable bundled package", report: reportOn("zod") },
  { exitCode: 1, result: "a vulnerable dependency", report: reportOn("hono") },
  { exitCode: 0, result: "a vulnerable development dependency", report: reportOn("vitest") },
  { exitCode: 3, result: "no audit at all", report: { message: "405 Method Not Allowed" } },
])("The audit exits with $exitCode when npm reports $result", async ({ exitCode, report }) => {
  await withDirectory(async (directory) => {
    const npm = `#!/bin/sh\ncat <<'END'\n${JSON.stringify(report)}\nEND\n`;
    await writeFile(join(directory, "npm"), npm, { mode: 0o755 });
    const environment = { PATH: `${directory}:${process.env.PATH}` };

    const audit = join(repository, "tools/audit.mts");
    const result = await run(process.execPath, [audit], { directory, environment });

    expect(result.exitCode).toBe(exitCode);
  });
});
