import { expect, it } from "vitest";
import { parse } from "yaml";
import { readPage } from "../helpers/markdown.ts";

interface Job {
  readonly needs?: unknown;
  readonly steps: readonly { name?: string; uses?: string; run?: string; with?: object }[];
}

const jobs: Readonly<Record<string, Job>> = parse(readPage(".github/workflows/release.yml"), {
  strict: true,
}).jobs;
const actionsOf = ({ steps }: Job) => steps.flatMap(({ uses = "" }) => uses.split("@")[0] || []);

it("The job that packs a release runs builds alone, on packages that were installed without scripts", () => {
  const { pack } = jobs as Record<"pack", Job>;

  // Steps with a name run their own lines alone.
  const commands = pack.steps.flatMap(({ name, run = [] }) => (name === undefined ? run : []));
  expect(commands).toEqual([
    "npm ci --ignore-scripts",
    "npm run build",
    "npm run pack:plugin",
    "mkdir package && npm pack --ignore-scripts --pack-destination package",
  ]);
  expect(new Set(actionsOf(pack))).toEqual(
    new Set(["actions/checkout", "actions/setup-node", "actions/upload-artifact"]),
  );
});

it("The job that packs a release gets nothing from the job that tests", () => {
  const uploads = Object.entries(jobs).filter(([, job]) =>
    actionsOf(job).includes("actions/upload-artifact"),
  );

  expect(uploads.map(([name]) => name)).toEqual(["pack"]);
  expect(jobs).not.toHaveProperty("pack.needs");
  expect(Object.values(jobs).flatMap(actionsOf)).not.toContain("actions/cache");
  const caches = Object.values(jobs)
    .flatMap(({ steps }) => steps)
    .filter(({ uses }) => /setup-(?:node|go)@/.test(uses ?? ""))
    .map((step) => ({ cache: false, "package-manager-cache": false, ...step.with }));
  expect(caches.map((one) => [one.cache, one["package-manager-cache"]])).toEqual(
    caches.map(() => [false, false]),
  );
});

it("A release is published only after its tests have passed", () => {
  expect(jobs).toMatchObject({
    publish: { needs: ["test", "pack"] },
    attach: { needs: "publish" },
  });
});
