import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { extract, list } from "tar";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { temporaryDirectory, withDirectory } from "../helpers/directory.js";
import { archiveFor, packPluginInto, systems, version } from "../helpers/plugin-archives.js";
import { run } from "../helpers/pulumi.js";

const repository = join(__dirname, "../..");
const tag = `v${version}`;
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

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly "working-directory"?: string;
}

describe("The release workflow", async () => {
  const { permissions, jobs } = parse(
    await readFile(join(repository, ".github/workflows/release.yml"), "utf8"),
  );
  const packing: Step[] = jobs.publish.steps;
  const upload = packing.findIndex(({ uses }) => uses?.startsWith("actions/upload-artifact@"));
  const [pack, complete] = packing.slice(upload - 2, upload);
  const [download, attach]: Step[] = jobs.attach.steps;

  beforeAll(async () => {
    await cp(join(repository, "dist-plugin/schema.json"), join(temporary.path, "schema.json"));
    const { exitCode, output } = await runStep(complete, temporary.path, packed);
    expect(exitCode, output).toBe(0);
  });

  it("attaches the plugin and its schema to the release of the tag", async () => {
    await withDirectory(async (directory) => {
      const { exitCode, output, args } = await runStep(attach, directory, packed);

      expect(exitCode, output).toBe(0);
      const [files, command] = [args.slice(args.indexOf("--") + 1), args.slice(0, 4)];
      expect(command).toEqual(["release", "create", tag, "--verify-tag"]);
      expect(files.sort()).toEqual(
        [...systems.map(archiveFor), "SHA256SUMS", "schema.json"].sort(),
      );
    });
  });

  it("attaches nothing when a file is not as it was packed", async () => {
    await withDirectory(async (directory) => {
      const files = join(directory, "files");
      await cp(packed, files, { recursive: true });
      await writeFile(join(files, archiveFor("linux-arm64")), "something else");

      const { exitCode, args } = await runStep(attach, directory, files);

      expect(exitCode).not.toBe(0);
      expect(args).toEqual([]);
    });
  });

  it("lets nothing write to the repository but the job that attaches", () => {
    expect(permissions).toEqual({ contents: "read" });
    expect(jobs.publish.permissions).toEqual({ contents: "read", "id-token": "write" });
    expect(jobs.attach.permissions).toEqual({ contents: "write" });
    expect(jobs.attach.needs).toBe("publish");
    expect(Object.keys(attach?.env ?? {}).sort()).toEqual(["GH_REPO", "GH_TOKEN"]);
  });

  it("hands the packed files from one job to the other", () => {
    expect(pack?.run).toBe("npm run pack:plugin");
    expect(complete?.["working-directory"]).toBe("dist-plugin/archives");
    expect(packing[upload]?.with).toMatchObject({ path: "dist-plugin/archives" });
    expect(download?.with?.name).toBe(packing[upload]?.with?.name);
    expect(attach?.["working-directory"]).toBe(download?.with?.path);
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

/** Runs lines of a step as the runner does, with a `gh` that notes its arguments. */
async function runStep(step: Step | undefined, directory: string, files: string) {
  const noted = join(directory, "noted");
  await writeFile(noted, "");
  await writeFile(join(directory, "gh"), `#!/bin/sh\nprintf '%s\\n' "$@" > '${noted}'\n`, {
    mode: 0o755,
  });
  const result = await run("bash", ["-e", "-c", step?.run ?? "false"], {
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
