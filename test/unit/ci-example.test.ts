import { readFileSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
const apiKey = `$\{{ secrets.DBWEBHOOKS_API_KEY }}`;

describe("The pipelines of docs/ci.md", () => {
  it("run one update at a time on main, with the keys", () => {
    const github = pipelineOf("GitHub Actions");

    expect(github.on).toEqual({ push: { branches: ["main"] } });
    expect(github.jobs.deploy.concurrency).toBe("webhooks-production");
    expect(github.jobs.deploy.steps.at(-1)).toMatchObject({
      with: { command: "up", "stack-name": "production" },
      env: { DBWEBHOOKS_API_KEY: apiKey },
    });
    expect(pipelineOf("GitLab CI").deploy).toMatchObject({
      rules: [{ if: "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" }],
      resource_group: "production",
      script: ["npm ci", "pulumi up --yes --stack production"],
    });
  });
});

describe("The limits of docs/ci.md", () => {
  it("end every request before a runner kills it after 10 s, for those who choose them", () => {
    const [, attempt] = /DBWEBHOOKS_TIMEOUT_SECONDS=(\d+)/.exec(page) ?? [];
    const [, retries] = /DBWEBHOOKS_RETRY_SECONDS=(\d+)/.exec(page) ?? [];
    const longest = Number(attempt) + Number(retries);

    expect(longest).toBeLessThan(8);
    expect(page).toContain(`ends within ${longest} seconds`);
    expect(page).toContain(`takes longer than ${attempt} seconds`);
  });
});

describe("The pipelines of examples/ci", () => {
  it("preview pull requests without the key, and run one update at a time on main", () => {
    const github = example("github-actions.yml");
    const { preview, deploy } = github.jobs;
    const gitlab = example("gitlab-ci.yml");
    const deploying = (command: string) =>
      expect.stringContaining(`exec node deploy.mts ${command}`);
    const withKey = (key: string) => expect.objectContaining({ DBWEBHOOKS_API_KEY: key });

    expect(github).toMatchObject({
      on: { pull_request: null, push: { branches: ["main"] } },
      permissions: { contents: "read" },
    });
    expect(preview.if).toContain("github.event_name == 'pull_request'");
    expect(preview.steps.at(-1)).toEqual({ run: deploying("preview"), env: withKey("unused") });
    expect(deploy).toMatchObject({
      if: "github.event_name == 'push'",
      concurrency: { group: "webhooks-production", "cancel-in-progress": false },
    });
    expect(deploy.steps.at(-2)).toEqual({ run: deploying("up"), env: withKey(apiKey) });
    expect(gitlab).toMatchObject({
      preview: {
        rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }],
        variables: withKey("unused"),
        script: [deploying("preview")],
      },
      deploy: {
        rules: [{ if: "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" }],
        ...{ resource_group: "production", interruptible: false, script: [deploying("up")] },
      },
    });
  });
});

describe("The deployment script of examples/ci", () => {
  it("lets Pulumi start what the environment allows, or the stack, and leaves no old summary", async () => {
    const deployments = await Promise.all([deploy("2"), deploy("")]);

    expect(deployments).toEqual([
      { exitCode: 1, up: expect.stringMatching(/--parallel[ =]2/), result: "failed" },
      { exitCode: 1, up: expect.stringMatching(/--parallel[ =]3/), result: "failed" },
    ]);
  });
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
    await writeFile(inDirectory("pulumi"), pulumi);
    await chmod(inDirectory("pulumi"), 0o755);
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
