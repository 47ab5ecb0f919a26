import { expect, it } from "vitest";
import { parse } from "yaml";
import { readPage } from "../helpers/markdown.ts";

const github = parse(readPage("examples/ci/github-actions.yml"), { strict: true }).jobs;
const bucket = parse(readPage("examples/ci/github-actions-bucket.yml"), { strict: true }).jobs;
const gitlab = parse(readPage("examples/ci/gitlab-ci.yml"), { strict: true });

it("The pipelines of examples/ci never cancel an update or run two at once", () => {
  const concurrency = { group: "webhooks-production", "cancel-in-progress": false };
  expect(github.deploy).toMatchObject({ concurrency });
  expect(bucket.deploy).toMatchObject({ concurrency });
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

it("The pipelines of examples/ci pin the actions and the image, and run no scripts of packages", () => {
  const { image, before_script: installation } = gitlab.default;
  const steps = [...github.preview.steps, ...github.deploy.steps, ...bucket.deploy.steps];
  const uses = steps.flatMap((step) => step.uses ?? []);
  const runs = steps.flatMap((step) => step.run ?? []).filter((run) => run.includes("npm"));

  for (const action of uses) expect(action).toMatch(/@[0-9a-f]{40}$/);
  expect(image.name).toMatch(/:\d+\.\d+\.\d+(?:@sha256:[0-9a-f]{64})?$/);
  expect(installation).toEqual(["npm ci --ignore-scripts"]);
  expect(new Set(runs)).toEqual(new Set(["npm ci --ignore-scripts"]));
});
