import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { extract, list } from "tar";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory, withDirectory } from "../helpers/directory.js";
import { archiveFor, packPluginInto, systems } from "../helpers/plugin-archives.js";

const temporary = temporaryDirectory();
let packed: string;

beforeAll(async () => {
  packed = join(temporary.path, "archives");
  await packPluginInto(packed);
});
afterAll(() => temporary.remove());

describe("npm run pack:plugin", () => {
  it("makes an archive for each system", async () => {
    expect((await readdir(packed)).sort()).toEqual(systems.map(archiveFor));
  });

  it("replaces the archives of an earlier run, and touches no other file", async () => {
    await withDirectory(async (directory) => {
      const old = "pulumi-resource-dbwebhooks-v0.0.1-linux-amd64.tar.gz";
      for (const name of [old, "notes.txt"]) {
        await writeFile(join(directory, name), "");
      }

      await packPluginInto(directory);

      expect((await readdir(directory)).sort()).toEqual(["notes.txt", ...systems.map(archiveFor)]);
    });
  });

  it("packs no time, so that the same files make the same archive", async () => {
    const times = (await entriesFor("linux-amd64")).map(({ mtime }) => mtime?.getTime());

    expect(new Set(times)).toEqual(new Set([0]));
  });

  it.each(systems)("puts into the archive for %s what Pulumi looks for there", async (system) => {
    const entries = await entriesFor(system);

    // On Windows Pulumi looks for .exe and then for .cmd.
    const name = `pulumi-resource-dbwebhooks${system.startsWith("windows") ? ".cmd" : ""}`;
    expect(entries).toContainEqual(expect.objectContaining({ path: name }));
    expect(entries).toContainEqual(
      expect.objectContaining({ path: "pulumi-resource-dbwebhooks", mode: 0o755 }),
    );
  });
});

describe("The wrapper for Windows", () => {
  it("gives all its arguments to the file beside it, wherever that is", async () => {
    const text = await withDirectory(async (directory) => {
      await extract({ file: join(packed, archiveFor("windows-amd64")), cwd: directory });
      return readFile(join(directory, "pulumi-resource-dbwebhooks.cmd"), "latin1");
    });
    const lines = text.split("\r\n");

    // Its first line must be a command, and nothing else may be printed before the port.
    expect(lines[0]).toBe("@echo off");
    // The quotes are for a directory with spaces. The last command's exit code is that of the file.
    expect(lines.slice(1)).toEqual(['node "%~dp0pulumi-resource-dbwebhooks" %*', ""]);
  });
});

/** What is in the archive for a system. */
async function entriesFor(system: string) {
  const entries: { path: string; mode: number | undefined; mtime: Date | undefined }[] = [];
  await list({
    file: join(packed, archiveFor(system)),
    onReadEntry: ({ path, mode, mtime }) => entries.push({ path, mode, mtime }),
  });
  return entries;
}
