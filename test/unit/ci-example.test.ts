import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { withExample } from "../helpers/example.js";
import { readPage } from "../helpers/markdown.js";
import { run } from "../helpers/pulumi.js";
import { codeBlocks, sectionOf } from "../helpers/readme.js";

const page = readPage("docs/ci.md");
const pipelineOf = (heading: string) =>
  parse(codeBlocks(sectionOf(page, heading))[0]?.text ?? "", { strict: true });
const example = (file: string) =>
  parse(readFileSync(join(__dirname, "../../examples/ci", file), "utf8"), { strict: true });

it("The pipelines run one update at a time, and preview without the API key", () => {
  const { deploy } = pipelineOf("GitHub Actions").jobs;
  const { jobs } = example("github-actions.yml");
  const gitlab = example("gitlab-ci.yml");
  const group = "webhooks-production";
  const DBWEBHOOKS_API_KEY = "unused";
  const run = expect.stringContaining("exec node deploy.mts preview");

  expect(deploy.concurrency).toBe(group);
  expect(jobs.deploy.concurrency).toEqual({ group, "cancel-in-progress": false });
  expect(pipelineOf("GitLab CI").deploy).toMatchObject({ resource_group: "production" });
  expect(gitlab.deploy).toMatchObject({ resource_group: "production", interruptible: false });
  expect(jobs.preview.if).toContain("github.event_name == 'pull_request'");
  expect(jobs.preview.steps.at(-1)).toMatchObject({ run, env: { DBWEBHOOKS_API_KEY } });
  expect(gitlab.preview).toMatchObject({
    rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }],
    ...{ script: [run], variables: { DBWEBHOOKS_API_KEY } },
  });
});

it("The script of examples/ci starts what environment or stack allow, without an old summary", async () => {
  const deployments = await Promise.all([deploy("2"), deploy("")]);

  expect(deployments).toEqual([
    { exitCode: 1, up: expect.stringMatching(/--parallel[ =]2/), result: "failed" },
    { exitCode: 1, up: expect.stringMatching(/--parallel[ =]3/), result: "failed" },
  ]);
});

/** Runs the script for a stack with the limit 3, and a Pulumi that notes how it is called and fails. */
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
