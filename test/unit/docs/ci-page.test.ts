import { expect, it } from "vitest";
import { parse } from "yaml";
import { codeBlocks, readPage } from "../../helpers/markdown.ts";

const pipelines = codeBlocks(readPage("docs/ci.md")).filter(({ language }) => language === "yaml");
const [github, gitlab] = pipelines.map(({ text }) => parse(text, { strict: true }));
const { steps, ...job } = github.jobs.deploy;

it("The pipelines of docs/ci.md never cancel an update or run two at once", () => {
  // GitHub cancels a running job only where the workflow asks for it.
  expect(job).toMatchObject({ concurrency: "webhooks-production", environment: "production" });
  expect(gitlab.deploy).toMatchObject({ resource_group: "production", interruptible: false });
});

it("The pipelines of docs/ci.md pin what runs beside the keys, and run no scripts of packages", () => {
  const commands = steps.flatMap(({ run }: { run?: string }) => run ?? []);

  const workflow = readPage(".github/workflows/ci.yml");
  const actions: string[] = steps.flatMap(({ uses }: { uses?: string }) => uses ?? []);
  const isOurs = (action: string) => action.startsWith("actions/");

  for (const action of actions) {
    expect(action).toMatch(/@[0-9a-f]{40}$/);
  }
  for (const action of actions.filter(isOurs)) {
    expect(workflow).toContain(action);
  }
  expect(gitlab.deploy.image.name).toMatch(/:\d+\.\d+\.\d+$/);
  expect(gitlab.deploy.script).toEqual(commands);
  expect(commands).toEqual(["npm ci --ignore-scripts", "exec pulumi up --yes --stack production"]);
});
