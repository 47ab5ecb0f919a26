import { readFileSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { withExample } from "../helpers/example.js";
import { readPage, rowsOf } from "../helpers/markdown.js";
import { run } from "../helpers/pulumi.js";
import { codeBlocks, sectionOf } from "../helpers/readme.js";

const parsed = (text: string) => parse(text, { strict: true, merge: false });
const example = (file: string) =>
  parsed(readFileSync(join(__dirname, "../../examples/ci", file), "utf8"));
const page = readPage("docs/ci.md");
const pipelineOf = (heading: string) => {
  const [block] = codeBlocks(sectionOf(page, heading)).filter(
    ({ language }) => language === "yaml",
  );
  return { text: block?.text ?? "", yaml: parsed(block?.text ?? "") };
};
const github = example("github-actions.yml");
const gitlab = example("gitlab-ci.yml");
const killedAfterSeconds = 10;

describe("The pipelines of docs/ci.md", () => {
  it("run one update at a time on main, with the keys, in few lines and without a program", () => {
    const { text, yaml } = pipelineOf("GitHub Actions");
    const other = pipelineOf("GitLab CI");
    const [deployment] = yaml.jobs.deploy.steps.slice(-1);

    expect(yaml.on).toEqual({ push: { branches: ["main"] } });
    expect(yaml.jobs.deploy).toMatchObject({
      environment: "production",
      concurrency: "webhooks-production",
    });
    expect(deployment.with).toEqual({ command: "up", "stack-name": "production" });
    expect(deployment.env).toEqual({
      PULUMI_ACCESS_TOKEN: `$\{{ secrets.PULUMI_ACCESS_TOKEN }}`,
      DBWEBHOOKS_API_KEY: `$\{{ secrets.DBWEBHOOKS_API_KEY }}`,
    });
    expect(other.yaml.deploy).toMatchObject({
      rules: [{ if: "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" }],
      resource_group: "production",
      script: ["npm ci", "pulumi up --yes --stack production"],
    });
    for (const { length } of [text.split("\n"), other.text.split("\n")]) {
      expect(length).toBeLessThan(18);
    }
  });
});

describe("The limits of docs/ci.md", () => {
  it("end a cancelled run when the page says", () => {
    const rows = rowsOf(sectionOf(page, "Limits"));

    for (const { cells } of rows) {
      const [parallel = 0, limit = 0, secondsEach = 0, seconds] = cells.map(Number);
      const atOnce = Number.isNaN(limit) ? parallel : Math.min(limit, parallel);
      expect(Math.ceil(parallel / atOnce) * secondsEach).toBe(seconds);
    }
    expect(rows.length).toBeGreaterThan(2);
  });

  it("end every request before a runner kills it, for those who choose them", () => {
    const [, attempt] = /DBWEBHOOKS_TIMEOUT_SECONDS=(\d+)/.exec(page) ?? [];
    const [, retries] = /DBWEBHOOKS_RETRY_SECONDS=(\d+)/.exec(page) ?? [];
    const longest = Number(attempt) + Number(retries);

    expect(longest).toBeLessThan(killedAfterSeconds - 2);
    expect(page).toContain(`ends within ${longest} seconds`);
    expect(page).toContain(`takes longer than ${attempt} seconds`);
  });
});

describe("The pipelines of examples/ci", () => {
  it("preview on pull requests and update on main", () => {
    expect(github.on).toEqual({ pull_request: null, push: { branches: ["main"] } });
    expect(github.jobs.preview.if).toContain("github.event_name == 'pull_request'");
    expect(github.jobs.deploy.if).toBe("github.event_name == 'push'");
    expect(gitlab.preview.rules).toEqual([{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }]);
    expect(gitlab.deploy.rules).toEqual([{ if: "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" }]);
    const commands = [...commandsOf(github), ...gitlab.preview.script, ...gitlab.deploy.script];
    const deployments = commands.filter((command) => command.includes("deploy.mts"));
    expect(deployments.map((command) => command.split(" --")[0])).toEqual([
      "exec node deploy.mts preview",
      "exec node deploy.mts up",
      "exec node deploy.mts preview",
      "exec node deploy.mts up",
    ]);
  });

  it("run one update at a time, which no newer commit cancels", () => {
    expect(github.jobs.deploy.concurrency).toEqual({
      group: "webhooks-production",
      "cancel-in-progress": false,
    });
    expect(gitlab.deploy).toMatchObject({ resource_group: "production", interruptible: false });
    expect(github.jobs.deploy["timeout-minutes"]).toBeGreaterThanOrEqual(60);
    expect(gitlab.deploy.timeout).toBe("1 hour");
  });

  it("choose no limit that a slow creation misses", () => {
    const variables = Object.keys({ ...github.env, ...gitlab.variables });

    expect(variables.filter((name) => /TIMEOUT|RETRY/.test(name))).toEqual([]);
  });

  it("give the API key to updates only", () => {
    const withKey = (job: { steps: { env?: Record<string, string> }[] }) =>
      job.steps.map(({ env }) => env?.DBWEBHOOKS_API_KEY).filter(Boolean);

    expect(withKey(github.jobs.preview)).toEqual(["unused"]);
    expect(withKey(github.jobs.deploy)).toEqual([`$\{{ secrets.DBWEBHOOKS_API_KEY }}`]);
    expect(gitlab.preview.variables).toEqual({ DBWEBHOOKS_API_KEY: "unused" });
    expect(github.permissions).toEqual({ contents: "read" });
  });
});

describe("The deployment script of examples/ci", () => {
  it.each([
    ["the environment", { DBWEBHOOKS_MAX_CONCURRENT_REQUESTS: "2" }, "", "--parallel 2"],
    ["the stack", {}, "config:\n  dbwebhooks:maxConcurrentRequests: 3\n", "--parallel 3"],
  ])("lets Pulumi start what %s allows", async (_, environment, settings, parallel) => {
    const { calls } = await deploy(environment, settings);

    const [up] = calls.filter((call) => call.startsWith("up "));
    expect(up?.replace("=", " ")).toContain(parallel);
  });

  it("removes the summary of the run before at its start, and sets no limit by itself", async () => {
    const { calls, summary } = await deploy({}, "");

    expect(calls).not.toContain("there is a summary");
    expect(calls.join()).not.toContain("--parallel");
    expect(summary).toMatchObject({ command: "up", result: "failed" });
  });
});

/** Runs the script with a Pulumi that notes how it is called, and fails to update. */
async function deploy(
  variables: Readonly<Record<string, string>>,
  settings: string,
): Promise<{ readonly calls: readonly string[]; readonly summary: unknown }> {
  return await withExample("ci", async ({ directory, environment }) => {
    const summaryFile = join(directory, "summary.json");
    const pulumi = join(directory, "pulumi");
    await writeFile(summaryFile, '{ "result": "succeeded" }');
    await writeFile(join(directory, "Pulumi.production.yaml"), settings);
    await writeFile(
      pulumi,
      `#!/bin/sh
if [ -e '${summaryFile}' ]; then echo 'there is a summary' >> '${directory}/calls'; fi
echo "$*" >> '${directory}/calls'
case "$1" in version) echo v3.259.0 ;; up) exit 1 ;; esac
`,
    );
    await chmod(pulumi, 0o755);
    const path = `${directory}:${process.env.PATH}`;
    const args = ["deploy.mts", "up", "--stack", "production", "--summary", "summary.json"];

    const { exitCode, output } = await run(process.execPath, args, {
      directory,
      environment: { ...environment, ...variables, PATH: path },
    });

    expect(exitCode, output).toBe(1);
    return {
      calls: (await readFile(join(directory, "calls"), "utf8")).trim().split("\n"),
      summary: JSON.parse(await readFile(summaryFile, "utf8")),
    };
  });
}

function commandsOf({ jobs }: typeof github): string[] {
  return [jobs.preview, jobs.deploy].flatMap(({ steps }) =>
    steps.flatMap(({ run }: { run?: string }) => run ?? []),
  );
}
