import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { repository, temporaryDirectory, withDirectory } from "../helpers/directory.js";
import { withExample } from "../helpers/example.js";
import { followGuide } from "../helpers/guide.js";
import { packInto } from "../helpers/package.js";
import { stackEnvironment } from "../helpers/pulumi.js";

const read = (directory: string) => readFile(join(directory, "README.md"), "utf8");

describe("The commands of an example's README succeed and print the documented output", () => {
  it.concurrent.each([
    "basic",
    "per-table",
    "multi-account",
    "cross-stack",
    "rotation",
    "adopt",
    "receiver",
    "ci",
  ])("in this repository: %s", (name) =>
    withExample(name, async (example) => followGuide(await read(example.directory), example)),
  );

  const packed = temporaryDirectory();
  let tarball: string;
  beforeAll(async () => {
    tarball = await packInto(packed.path);
  });
  afterAll(() => packed.remove());

  it.concurrent.each(["yaml", "native"])("in an empty directory: %s", async (name) => {
    const page = await read(join(repository, "examples", name));
    await withDirectory(async (directory) => {
      const environment = await stackEnvironment(directory);
      await followGuide(page, { directory, environment, tarball });
    });
  });
});
