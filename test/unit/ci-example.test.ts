import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { run } from "../helpers/commands.ts";
import { writeJson } from "../helpers/directory.ts";
import { withExample } from "../helpers/example.ts";
import { readPage } from "../helpers/markdown.ts";

const github = parse(readPage("examples/ci/github-actions.yml"), { strict: true }).jobs;
const gitlab = parse(readPage("examples/ci/gitlab-ci.yml"), { strict: true });

it("The pipelines of examples/ci never cancel an update or run two at once", () => {
  const concurrency = { group: "webhooks-production", "cancel-in-progress": false };
  expect(github.deploy).toMatchObject({ concurrency });
  expect(gitlab.deploy).toMatchObject({ resource_group: "production", interruptible: false });
});

it("The pipelines of examples/ci preview pull requests without the API key", () => {
  expect(github.preview.if).toContain("github.event_name == 'pull_request'");
  expect(github.preview.steps.at(-1).env).toMatchObject({ DBWEBHOOKS_API_KEY: "unused" });
  const rules = [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }];
  expect(gitlab.preview).toMatchObject({ rules, variables: { DBWEBHOOKS_API_KEY: "unused" } });
});

it.each([
  { source: "DBWEBHOOKS_MAX_CONCURRENT_REQUESTS", variable: "2", parallel: "2" },
  { source: "maxConcurrentRequests of the stack", variable: "", parallel: "3" },
])("The script of examples/ci takes --parallel from $source", async ({ variable, parallel }) => {
  await withExample("ci", async ({ directory }) => {
    const settings = { config: { "dbwebhooks:maxConcurrentRequests": 3 } };
    await writeJson(join(directory, "Pulumi.production.yaml"), settings);
    const fakePulumi = `#!/bin/sh\ncase $1 in version) echo v3.259.0;; up) echo "$*";; esac`;
    await writeFile(join(directory, "pulumi"), fakePulumi, { mode: 0o755 });
    const PATH = `${directory}:${process.env.PATH}`;
    const environment = { DBWEBHOOKS_MAX_CONCURRENT_REQUESTS: variable, PATH };

    const args = ["deploy.mts", "up", "--stack", "production"];
    const { output } = await run(process.execPath, args, { directory, environment });

    expect(/--parallel[ =](\d+)/.exec(output)?.[1], output).toBe(parallel);
  });
});
