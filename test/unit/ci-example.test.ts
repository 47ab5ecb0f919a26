import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const example = (file: string) =>
  parse(readFileSync(join(__dirname, "../../examples/ci", file), "utf8"), {
    strict: true,
    merge: false,
  });
const github = example("github-actions.yml");
const gitlab = example("gitlab-ci.yml");
const killedAfterSeconds = 10;

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

  it("end every request before a runner kills it", () => {
    for (const { DBWEBHOOKS_TIMEOUT_SECONDS: attempt, DBWEBHOOKS_RETRY_SECONDS: retries } of [
      github.env,
      gitlab.variables,
    ]) {
      expect(Number(attempt) + Number(retries)).toBeLessThan(killedAfterSeconds - 2);
    }
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

function commandsOf({ jobs }: typeof github): string[] {
  return [jobs.preview, jobs.deploy].flatMap(({ steps }) =>
    steps.flatMap(({ run }: { run?: string }) => run ?? []),
  );
}
