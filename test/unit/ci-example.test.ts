import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { run } from "../helpers/commands.js";
import { withExample } from "../helpers/example.js";
import { readPage } from "../helpers/markdown.js";

/** Returns the actions of GitHub that a page uses, each with its commit and tag. */
function actionsOf(file: string): string[] {
  return [...readPage(file).matchAll(/uses: (actions\/.*)/g)].map(([, action = ""]) => action);
}

describe.each(["examples/ci/github-actions.yml", "docs/ci.md"])("The workflow in %s", (file) => {
  it("uses the same versions of actions as our workflows, which Dependabot updates", () => {
    const ours = [".github/workflows/ci.yml", ".github/workflows/release.yml"].flatMap(actionsOf);

    expect(actionsOf(file)).not.toEqual([]);
    expect(ours).toEqual(expect.arrayContaining(actionsOf(file)));
  });
});

describe("The pipelines of examples/ci", () => {
  const github = parse(readPage("examples/ci/github-actions.yml"), { strict: true }).jobs;
  const gitlab = parse(readPage("examples/ci/gitlab-ci.yml"), { strict: true });

  it("run one update at a time, and never cancel it for a newer one", () => {
    expect(github.deploy.concurrency).toEqual({
      group: "webhooks-production",
      "cancel-in-progress": false,
    });
    expect(gitlab.deploy).toMatchObject({ resource_group: "production", interruptible: false });
  });

  it("preview pull requests without the API key", () => {
    expect(github.preview.if).toContain("github.event_name == 'pull_request'");
    expect(github.preview.steps.at(-1).env).toMatchObject({ DBWEBHOOKS_API_KEY: "unused" });
    expect(gitlab.preview).toMatchObject({
      rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }],
      variables: { DBWEBHOOKS_API_KEY: "unused" },
    });
  });
});

describe("The script of examples/ci", () => {
  it.each([
    { source: "the environment variable", maxConcurrentRequests: "2", parallel: 2 },
    { source: "the configuration of the stack", maxConcurrentRequests: "", parallel: 3 },
  ])("takes --parallel from $source", async ({ maxConcurrentRequests, parallel }) => {
    await withExample("ci", async ({ directory, environment }) => {
      const settings = "config:\n  dbwebhooks:maxConcurrentRequests: 3\n";
      await writeFile(join(directory, "Pulumi.production.yaml"), settings);
      const argsFile = join(directory, "arguments");
      const fakePulumi = `#!/bin/sh
case $1 in version) echo v3.259.0;; up) echo "$*" > '${argsFile}';; esac`;
      await writeFile(join(directory, "pulumi"), fakePulumi, { mode: 0o755 });

      await run(process.execPath, ["deploy.mts", "up", "--stack", "production"], {
        directory,
        environment: {
          ...environment,
          DBWEBHOOKS_MAX_CONCURRENT_REQUESTS: maxConcurrentRequests,
          PATH: `${directory}:${process.env.PATH}`,
        },
      });

      expect(await readFile(argsFile, "utf8")).toMatch(new RegExp(`--parallel[ =]${parallel}\\b`));
    });
  });
});
