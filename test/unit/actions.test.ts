import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** The lines of a workflow that name an action of GitHub's, with its commit and tag. */
function actionsOf(file: string): string[] {
  const text = readFileSync(join(__dirname, "../..", file), "utf8");
  return [...text.matchAll(/uses: (actions\/.*)/g)].map(([, action = ""]) => action);
}

it("The workflow for users names the actions of our workflows, which a bot raises", () => {
  const ours = [".github/workflows/ci.yml", ".github/workflows/release.yml"].flatMap(actionsOf);

  const forUsers = actionsOf("examples/ci/github-actions.yml");

  expect(forUsers).not.toEqual([]);
  expect(ours).toEqual(expect.arrayContaining(forUsers));
});
