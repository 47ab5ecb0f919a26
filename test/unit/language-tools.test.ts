import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withDirectory } from "../helpers/directory.js";
import { missingTools } from "../helpers/languages/setup.js";

it("What the tests of the languages need is named when it is missing or does not run", async () => {
  await withDirectory(async (directory) => {
    const python = join(directory, "python3");
    await writeFile(python, "#!/bin/sh\necho 'No module named ensurepip' >&2; exit 1\n");
    await chmod(python, 0o755);

    expect(await missingTools({ PATH: directory })).toEqual([
      "Python 3.10 or newer with venv (No module named ensurepip)",
      expect.stringMatching(/^Go \(.*go/),
    ]);
  });
});
