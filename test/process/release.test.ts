import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { version } from "../../package.json";
import { run, succeed } from "../helpers/commands.ts";
import { repository, withDirectory } from "../helpers/directory.ts";
import { readPage } from "../helpers/markdown.ts";

it("The commands of a release attach all files of their folder, or nothing if an archive has changed", async () => {
  await withDirectory(async (directory) => {
    const archives = join(directory, "archives");
    const pack = join(repository, "tools/plugin/pack.mts");
    await succeed(process.execPath, [pack, archives], { directory });
    for (const name of ["schema.json", "sbom.cdx.json"]) {
      await cp(join(repository, "dist-plugin", name), join(directory, name));
    }
    await writeFile(join(directory, "gh"), '#!/bin/sh\necho gh "$@"\n', { mode: 0o755 });
    const archiveFor = (system: string) =>
      `pulumi-resource-dbwebhooks-v${version}-${system}.tar.gz`;

    const completed = await runStep("Add the schema, the bill of materials", directory);
    const attached = await runStep("Attach the plugin to the release", directory);
    await writeFile(join(archives, archiveFor("linux-arm64")), "something else");
    const afterChange = await runStep("Attach the plugin to the release", directory);

    expect(completed.exitCode, completed.output).toBe(0);
    expect(attached.exitCode, attached.output).toBe(0);
    expect(attached.output).toContain(`gh release create v${version} --verify-tag `);
    expect(attached.output.trim().split(" -- ")[1]?.split(" ").sort()).toEqual([
      "SHA256SUMS",
      ...["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64"].map(archiveFor),
      ...["windows-amd64", "windows-arm64"].map(archiveFor),
      "sbom.cdx.json",
      "schema.json",
    ]);
    expect(afterChange.exitCode).not.toBe(0);
    expect(afterChange.output).not.toContain("gh release");
  });
});

/** Runs a step of the workflow with `bash -e`, as GitHub does, in the folder of the archives. */
function runStep(name: string, directory: string) {
  const { jobs } = parse(readPage(".github/workflows/release.yml"));
  const steps: { name?: string; run: string }[] = [...jobs.pack.steps, ...jobs.attach.steps];
  const step = steps.find((candidate) => candidate.name?.startsWith(name));
  return run("bash", ["-e", "-c", step?.run ?? "false"], {
    directory: join(directory, "archives"),
    environment: { PATH: `${directory}:${process.env.PATH}`, GITHUB_REF_NAME: `v${version}` },
  });
}
