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
  const preview = expect.stringContaining("deploy.mts preview ");
  const env = { DBWEBHOOKS_API_KEY: "unused" };
  const rules = [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }];
  expect(github.preview.if).toContain("github.event_name == 'pull_request'");
  expect(github.preview.steps.at(-1)).toMatchObject({ run: preview, env });
  expect(gitlab.preview).toMatchObject({ rules, script: [preview], variables: env });
});

it.each([
  { command: "up", source: "DBWEBHOOKS_MAX_CONCURRENT_REQUESTS", variable: "2", parallel: "2" },
  { command: "destroy", source: "maxConcurrentRequests of the stack", variable: "", parallel: "3" },
])("deploy.mts $command of examples/ci takes --parallel from $source", async (row) => {
  await withExample("ci", async ({ directory }) => {
    const settings = { config: { "dbwebhooks:maxConcurrentRequests": 3 } };
    await writeJson(join(directory, "Pulumi.production.yaml"), settings);
    // The fake CLI prints its arguments but no outputs, so deploy.mts may fail after the command.
    const fakeCli = `#!/bin/sh\ncase $1 in version) echo v3.259.0;; up|destroy) echo "$*";; esac`;
    await writeFile(join(directory, "pulumi"), fakeCli, { mode: 0o755 });
    const PATH = `${directory}:${process.env.PATH}`;
    const environment = { DBWEBHOOKS_MAX_CONCURRENT_REQUESTS: row.variable, PATH };

    const args = ["deploy.mts", row.command, "--stack", "production"];
    const { output } = await run(process.execPath, args, { directory, environment });

    expect(/--parallel[ =](\d+)/.exec(output)?.[1], output).toBe(row.parallel);
  });
});
