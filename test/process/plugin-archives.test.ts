import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { extract, list } from "tar";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { temporaryDirectory, withDirectory } from "../helpers/directory.js";
import { archiveFor, packPluginInto, systems, version } from "../helpers/plugin-archives.js";
import { run } from "../helpers/pulumi.js";

const repository = join(__dirname, "../..");
const tag = `v${version}`;
const packed = temporaryDirectory();
const assets = [...systems.map(archiveFor), "SHA256SUMS", "schema.json"].sort();

beforeAll(() => packPluginInto(packed.path));
afterAll(() => packed.remove());

describe("npm run pack:plugin", () => {
  it("makes an archive for each system, the schema and the checksums", async () => {
    const { version: inSchema } = JSON.parse(await textOf("schema.json"));

    expect((await readdir(packed.path)).sort()).toEqual(assets);
    expect(inSchema).toBe(version);
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
      await extract({ file: join(packed.path, archiveFor("windows-amd64")), cwd: directory });
      return readFile(join(directory, "pulumi-resource-dbwebhooks.cmd"), "latin1");
    });
    const lines = text.split("\r\n");

    // Its first line must be a command, and nothing else may be printed before the port.
    expect(lines[0]).toBe("@echo off");
    // The quotes are for a directory with spaces. The last command's exit code is that of the file.
    expect(lines.slice(1)).toEqual(['node "%~dp0pulumi-resource-dbwebhooks" %*', ""]);
  });
});

describe("The release workflow", async () => {
  const { permissions, jobs } = parse(
    await readFile(join(repository, ".github/workflows/release.yml"), "utf8"),
  );
  const { env, run: lines } = jobs.attach.steps.at(-1) as {
    env: Record<string, string>;
    run: string;
  };

  it("attaches the plugin and its schema to the release of the tag", async () => {
    await withDirectory(async (directory) => {
      const { exitCode, output, args } = await runStep(lines, directory, packed.path);

      expect(exitCode, output).toBe(0);
      const [files, command] = [args.slice(args.indexOf("--") + 1), args.slice(0, 4)];
      expect(command).toEqual(["release", "create", tag, "--verify-tag"]);
      expect(files.sort()).toEqual(assets);
    });
  });

  it("attaches nothing when a file is not as it was packed", async () => {
    await withDirectory(async (directory) => {
      const files = join(directory, "files");
      await packPluginInto(files);
      await writeFile(join(files, archiveFor("linux-arm64")), "something else");

      const { exitCode, args } = await runStep(lines, directory, files);

      expect(exitCode).not.toBe(0);
      expect(args).toEqual([]);
    });
  });

  it("lets nothing write to the repository but the job that attaches", () => {
    expect(permissions).toEqual({ contents: "read" });
    expect(jobs.publish.permissions).toEqual({ contents: "read", "id-token": "write" });
    expect(jobs.attach.permissions).toEqual({ contents: "write" });
    expect(jobs.attach.needs).toBe("publish");
    expect(Object.keys(env).sort()).toEqual(["GH_REPO", "GH_TOKEN"]);
  });

  it("hands the packed files from one job to the other", () => {
    const steps: { run?: string; uses?: string; with?: Record<string, unknown> }[] =
      jobs.publish.steps;
    const upload = steps.findIndex(({ uses }) => uses?.startsWith("actions/upload-artifact@"));
    const [download] = jobs.attach.steps;

    expect(steps[upload - 1]?.run).toBe("npm run pack:plugin");
    expect(steps[upload]?.with).toMatchObject({ path: "dist-plugin/archives" });
    expect(download.with.name).toBe(steps[upload]?.with?.name);
    expect(jobs.attach.steps.at(-1)["working-directory"]).toBe(download.with.path);
  });
});

/** What is in the archive for a system. */
async function entriesFor(system: string) {
  const entries: { path: string; mode: number | undefined; mtime: Date | undefined }[] = [];
  await list({
    file: join(packed.path, archiveFor(system)),
    onReadEntry: ({ path, mode, mtime }) => entries.push({ path, mode, mtime }),
  });
  return entries;
}

/** Runs lines of a step as the runner does, with a `gh` that notes its arguments. */
async function runStep(lines: string, directory: string, files: string) {
  const noted = join(directory, "noted");
  await writeFile(noted, "");
  await writeFile(join(directory, "gh"), `#!/bin/sh\nprintf '%s\\n' "$@" > '${noted}'\n`, {
    mode: 0o755,
  });
  const result = await run("bash", ["-e", "-c", lines], {
    directory: files,
    environment: {
      PATH: `${directory}:${process.env.PATH}`,
      GITHUB_REF_NAME: tag,
      GITHUB_SERVER_URL: "https://example.com",
      GITHUB_REPOSITORY: "owner/repository",
    },
  });
  const args = (await readFile(noted, "utf8")).split("\n").slice(0, -1);
  return { ...result, args };
}

function textOf(file: string): Promise<string> {
  return readFile(join(packed.path, file), "utf8");
}
