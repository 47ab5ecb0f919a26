import { expect, it } from "vitest";
import { parse } from "yaml";
import { nodeVersion, platforms } from "../../../tools/plugin/node-binary.mts";
import { readPage } from "../../helpers/markdown.ts";

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}

interface Job {
  readonly needs?: unknown;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const jobs: Readonly<Record<string, Job>> = parse(readPage(".github/workflows/release.yml"), {
  strict: true,
}).jobs;
const actionsOf = ({ steps }: Job) => steps.flatMap(({ uses = "" }) => uses.split("@")[0] || []);

const packingJobs = ["pack", "pack-macos"];

it("The jobs that pack a release run builds alone, on packages that were installed without scripts", () => {
  const allowed = [
    "npm ci --ignore-scripts",
    "npm run pack:plugin",
    "mkdir package && npm pack --ignore-scripts --pack-destination package",
  ];
  const packing = packingJobs.map((name) => jobs[name] as Job);

  // Steps with a name run their own lines alone.
  const commands = packing.map(({ steps }) =>
    steps.flatMap(({ name, run = [] }) => (name === undefined ? run : [])),
  );
  expect(commands).toEqual([allowed, ["npm ci --ignore-scripts", "npm run pack:plugin"]]);
  expect(new Set(packing.flatMap(actionsOf))).toEqual(
    new Set(["actions/checkout", "actions/setup-node", "actions/upload-artifact"]),
  );
});

it("The jobs that pack a release get nothing from the job that tests", () => {
  const uploads = Object.entries(jobs).filter(([, job]) =>
    actionsOf(job).includes("actions/upload-artifact"),
  );

  expect(uploads.map(([name]) => name)).toEqual(packingJobs);
  for (const name of packingJobs) {
    expect(jobs[name]).not.toHaveProperty("needs");
  }
  expect(Object.values(jobs).flatMap(actionsOf)).not.toContain("actions/cache");
  const caches = Object.values(jobs)
    .flatMap(({ steps }) => steps)
    .filter(({ uses }) => /setup-(?:node|go)@/.test(uses ?? ""))
    .map((step) => ({ cache: false, "package-manager-cache": false, ...step.with }));
  expect(caches.map((one) => [one.cache, one["package-manager-cache"]])).toEqual(
    caches.map(() => [false, false]),
  );
});

it("A release takes what was packed by the uploads' ids, because every job can upload under their names", () => {
  const downloads = [jobs.publish, jobs.attach]
    .flatMap((job) => job?.steps ?? [])
    .filter(({ uses }) => uses?.startsWith("actions/download-artifact@"));

  const taken = downloads.map((step) => step.with?.["artifact-ids"]?.split(",").map(uploadNamedBy));
  expect(taken).toEqual([["package"], ["plugin", "plugin-darwin"]]);
});

it("A release is published only after its tests have passed", () => {
  expect(jobs).toMatchObject({
    publish: { needs: ["test", ...packingJobs] },
    attach: { needs: expect.arrayContaining(["publish"]) },
  });
});

it("Every executable contains the same version of Node.js, pinned by its hash", () => {
  const lock = JSON.parse(readPage("tools/plugin/node/package-lock.json"));
  const { "": _, ...packages } = lock.packages as Record<string, object>;
  const names = Object.values(platforms).map((one) => `node_modules/${one.package}`);

  expect(Object.keys(packages).toSorted()).toEqual(names.toSorted());
  expect(Object.values(packages)).toEqual(
    names.map(() =>
      expect.objectContaining({
        version: nodeVersion,
        integrity: expect.stringMatching(/^sha512-/),
      }),
    ),
  );
});

/** Returns the name of the upload of an expression such as `needs.pack.outputs.package-id`. */
function uploadNamedBy(expression: string): string | undefined {
  const [, name = "", output = ""] = /needs\.([\w-]+)\.outputs\.([\w-]+)/.exec(expression) ?? [];
  const { outputs, steps = [] } = jobs[name] ?? {};
  const step = steps.find(
    ({ id }) => outputs?.[output] === `\${{ steps.${id}.outputs.artifact-id }}`,
  );
  return step?.with?.name;
}

it("A prerelease is published with a tag of its own, which npm asks for", () => {
  const steps = jobs.publish?.steps ?? [];
  const publish = steps.find(({ run = "" }) => run.startsWith("npm publish"));

  expect(publish).toMatchObject({
    env: { TAG: expect.stringContaining("contains(github.ref_name, '-') && 'next' || 'latest'") },
    run: expect.stringMatching(/ --tag "\$TAG"$/),
  });
});
