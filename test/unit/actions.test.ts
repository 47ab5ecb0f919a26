import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const workflows = [".github/workflows/ci.yml", ".github/workflows/release.yml"];
const example = "examples/ci/github-actions.yml";
const textOf = (file: string) => readFileSync(join(__dirname, "../..", file), "utf8");
const actionsOf = (file: string) =>
  [...textOf(file).matchAll(/uses: (.*)/g)].map(([, action = ""]) => action);

describe.each([...workflows, example])("%s", (file) => {
  it("names actions by their commit, with the tag in a comment", () => {
    // The commit of its tags could not be established.
    const others = actionsOf(file).filter((action) => !action.startsWith("pulumi/actions@"));

    expect(others).not.toEqual([]);
    for (const action of others) expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("keeps no token of the repository", () => {
    const jobs: { steps: { uses?: string; with?: object }[] }[] = Object.values(
      parse(textOf(file)).jobs,
    );
    const checkouts = jobs
      .flatMap(({ steps }) => steps)
      .filter(({ uses }) => uses?.startsWith("actions/checkout@"));

    expect(checkouts).not.toEqual([]);
    for (const checkout of checkouts) {
      expect(checkout.with).toMatchObject({ "persist-credentials": false });
    }
  });
});

it.each(workflows)("%s audits what users get", (file) => {
  const jobs: { steps: { run?: string }[] }[] = Object.values(parse(textOf(file)).jobs);
  const commands = jobs.flatMap(({ steps }) => steps).map(({ run }) => run);

  expect(commands).toContain("node tools/audit.mts");
});

it("A bot raises the actions and the npm packages", () => {
  const { updates } = parse(textOf(".github/dependabot.yml"));

  const watched = updates.map((one: Record<string, string>) => one["package-ecosystem"]);
  expect(watched).toEqual(["github-actions", "npm"]);
});

it("The example for users has the actions of the workflows, which a bot raises", () => {
  expect(workflows.flatMap(actionsOf)).toEqual(expect.arrayContaining(actionsOf(example)));
});
