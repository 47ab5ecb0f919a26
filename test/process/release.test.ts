import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { version } from "../../package.json";
import { withDirectory } from "../helpers/directory.js";
import { succeed } from "../helpers/package.js";
import { run } from "../helpers/pulumi.js";

const repository = join(__dirname, "../..");
const tag = `v${version}`;

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
  const packing: Step[] = jobs.pack.steps;
  const upload = packing.findIndex(({ uses }) => uses?.startsWith("actions/upload-artifact@"));
  const packPackage = packing.find(({ run }) => run?.includes("npm pack "));
  const publishing: Step[] = jobs.publish.steps;
  const [pack, complete] = packing.slice(upload - 2, upload);
  const [download, attach]: Step[] = jobs.attach.steps;

  it("attaches the plugin and its schema to the release of the tag, as they were packed", async () => {
    await withDirectory(async (directory) => {
      const packed = join(directory, "archives");
      await succeed(process.execPath, ["tools/plugin/pack.mts", packed], { directory: repository });
      for (const name of ["schema.json", "sbom.cdx.json"]) {
        await cp(join(repository, "dist-plugin", name), join(directory, name));
      }

      const completed = await runStep(complete, directory, packed);
      const attached = await runStep(attach, directory, packed);
      await writeFile(join(packed, archiveFor("linux-arm64")), "something else");
      const refused = await runStep(attach, directory, packed);

      expect([completed.exitCode, attached.exitCode], attached.output).toEqual([0, 0]);
      const { args } = attached;
      expect(args.slice(0, 4)).toEqual(["release", "create", tag, "--verify-tag"]);
      const archives = ["darwin", "linux", "windows"].flatMap((system) =>
        ["amd64", "arm64"].map((architecture) => archiveFor(`${system}-${architecture}`)),
      );
      const files = ["SHA256SUMS", ...archives, "sbom.cdx.json", "schema.json"];
      expect(args.slice(args.indexOf("--") + 1).sort()).toEqual(files);
      expect(refused.exitCode).not.toBe(0);
      expect(refused.args).toEqual([]);
    });
  });

  it("lets no code of the repository or of its dependencies publish or write", () => {
    expect(permissions).toEqual({ contents: "read" });
    expect(jobs.pack.permissions).toBeUndefined();
    expect(jobs.publish.permissions).toEqual({ "id-token": "write" });
    expect(jobs.attach.permissions).toEqual({ contents: "write" });
    expect([jobs.publish.needs, jobs.attach.needs]).toEqual(["pack", "publish"]);
    expect([...publishing, ...jobs.attach.steps].map(({ uses, run }) => uses ?? run)).toEqual([
      expect.stringMatching(/^actions\/setup-node@/),
      expect.stringMatching(/^actions\/download-artifact@/),
      "npm publish ./package/*.tgz --provenance --access public",
      expect.stringMatching(/^actions\/download-artifact@/),
      attach?.run,
    ]);
    expect(Object.keys(attach?.env ?? {}).sort()).toEqual(["GH_REPO", "GH_TOKEN"]);
  });

  it("hands the packed files from one job to the other", () => {
    const { name, path } = packing[upload]?.with ?? {};
    expect([pack?.run, path]).toEqual(["npm run pack:plugin", complete?.["working-directory"]]);
    // npm runs no scripts of a packed file.
    expect(packPackage?.run).toBe("mkdir package && npm pack --pack-destination package");
    expect(download?.with).toEqual({ name, path: attach?.["working-directory"] });
  });
});

function archiveFor(system: string): string {
  return `pulumi-resource-dbwebhooks-v${version}-${system}.tar.gz`;
}

/** Runs lines of a step as the runner does, with a `gh` that notes its arguments. */
async function runStep(step: Step | undefined, directory: string, files: string) {
  const noted = join(directory, "noted");
  await writeFile(noted, "");
  const gh = `#!/bin/sh\nprintf '%s\\n' "$@" > '${noted}'\n`;
  await writeFile(join(directory, "gh"), gh, { mode: 0o755 });
  const result = await run("bash", ["-e", "-c", step?.run ?? "false"], {
    directory: files,
    environment: {
      PATH: `${directory}:${process.env.PATH}`,
      GITHUB_REF_NAME: tag,
      GITHUB_SERVER_URL: "https://example.com",
      GITHUB_REPOSITORY: "owner/repository",
    },
  });
  return { ...result, args: (await readFile(noted, "utf8")).split("\n").slice(0, -1) };
}
