import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../helpers/directory.js";
import { missingTools } from "../helpers/languages/setup.js";

describe("What the tests of the languages need", () => {
  it("is named when it is not on PATH", async () => {
    await withDirectory(async (directory) => {
      const missing = await missingTools({ PATH: directory });

      expect(missing).toEqual([
        expect.stringMatching(/^Python 3\.10 or newer with venv \(.*python3/),
        expect.stringMatching(/^Go \(.*go/),
      ]);
    });
  });

  it("is named with the reason when it does not run", async () => {
    await withDirectory(async (directory) => {
      await writeScript(join(directory, "python3"), "echo 'No module named ensurepip' >&2; exit 1");
      await writeScript(join(directory, "go"), "exit 0");

      expect(await missingTools({ PATH: directory })).toEqual([
        "Python 3.10 or newer with venv (No module named ensurepip)",
      ]);
    });
  });
});

async function writeScript(file: string, text: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o755);
}
