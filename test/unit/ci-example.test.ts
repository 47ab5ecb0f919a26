import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { withExample } from "../helpers/example.js";
import { codeBlocks, readPage, sectionOf } from "../helpers/markdown.js";
import { run } from "../helpers/pulumi.js";

const page = readPage("docs/ci.md");
const snippetOf = (heading: string) => codeBlocks(sectionOf(page, heading))[0]?.text ?? "";
const pipelineOf = (heading: string) => parse(snippetOf(heading), { strict: true });
const example = (file: string) => readFileSync(join(__dirname, "../../examples/ci", file), "utf8");
const examplePipelineOf = (file: string) => parse(example(file), { strict: true });

it("The pipelines run one update at a time, and end it only long after it has begun", () => {
  const group = "webhooks-production";

  const atGitHub = pipelineOf("GitHub Actions").jobs.deploy;
  const atGitLab = pipelineOf("GitLab CI").deploy;
  const exampleAtGitHub = examplePipelineOf("github-actions.yml").jobs.deploy;
  const exampleAtGitLab = examplePipelineOf("gitlab-ci.yml").deploy;

  expect(atGitHub).toMatchObject({ concurrency: group, "timeout-minutes": 60 });
  expect(exampleAtGitHub).toMatchObject({
    concurrency: { group, "cancel-in-progress": false },
    "timeout-minutes": 60,
  });
  expect(atGitLab).toMatchObject({ resource_group: "production", timeout: "1 hour" });
  expect(exampleAtGitLab).toMatchObject({
    resource_group: "production",
    interruptible: false,
    timeout: "1 hour",
  });
});

it("The pipelines of examples/ci preview pull requests without the API key", () => {
  const DBWEBHOOKS_API_KEY = "unused";
  const run = expect.stringContaining("exec node deploy.mts preview");

  const atGitHub = examplePipelineOf("github-actions.yml").jobs.preview;
  const atGitLab = examplePipelineOf("gitlab-ci.yml").preview;

  expect(atGitHub.if).toContain("github.event_name == 'pull_request'");
  expect(atGitHub.steps.at(-1)).toMatchObject({ run, env: { DBWEBHOOKS_API_KEY } });
  expect(atGitLab).toMatchObject({
    rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }],
    script: [run],
    variables: { DBWEBHOOKS_API_KEY },
  });
});

it("The workflow of the page pins each action by a commit, those of GitHub as examples/ci does", () => {
  const actions = [...snippetOf("GitHub Actions").matchAll(/uses: (.*)/g)].map(([, name]) => name);

  expect(actions).toHaveLength(3);
  for (const action of actions) {
    expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
  for (const action of actions.filter((name) => name?.startsWith("actions/"))) {
    expect(example("github-actions.yml")).toContain(`uses: ${action}\n`);
  }
});

it("The script of examples/ci takes --parallel from the environment or the stack, and deletes an old summary", async () => {
  const deployments = await Promise.all([deploy("2"), deploy("")]);

  expect(deployments).toEqual([
    { exitCode: 1, up: expect.stringMatching(/--parallel[ =]2/), result: "failed" },
    { exitCode: 1, up: expect.stringMatching(/--parallel[ =]3/), result: "failed" },
  ]);
});

/** Runs the script for a stack with the limit 3, and a fake Pulumi that notes its arguments and fails. */
async function deploy(DBWEBHOOKS_MAX_CONCURRENT_REQUESTS: string) {
  return await withExample("ci", async ({ directory, environment }) => {
    const inDirectory = (file: string) => join(directory, file);
    await writeFile(inDirectory("summary.json"), "");
    const settings = "config:\n  dbwebhooks:maxConcurrentRequests: 3\n";
    await writeFile(inDirectory("Pulumi.production.yaml"), settings);
    const pulumi = `#!/bin/sh
if [ -e '${inDirectory("summary.json")}' ]; then exit 1; fi
case "$1" in version) echo v3.259.0 ;; up) echo "$*" > '${inDirectory("up")}'; exit 1 ;; esac
`;
    await writeFile(inDirectory("pulumi"), pulumi, { mode: 0o755 });
    const PATH = `${directory}:${process.env.PATH}`;
    const args = ["deploy.mts", "up", "--stack", "production", "--summary", "summary.json"];

    const { exitCode } = await run(process.execPath, args, {
      directory,
      environment: { ...environment, DBWEBHOOKS_MAX_CONCURRENT_REQUESTS, PATH },
    });

    const { result } = JSON.parse(await readFile(inDirectory("summary.json"), "utf8"));
    return { exitCode, up: await readFile(inDirectory("up"), "utf8"), result };
  });
}
