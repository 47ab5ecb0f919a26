import { globSync } from "node:fs";
import { join } from "node:path";

const names = ["README.md", "docs/*.md", "examples/README.md", "examples/*/package.json"];

/**
 * The paths of the files that contain the version of the package, from the root of the repository.
 */
export const versionedFiles = globSync(names, { cwd: join(import.meta.dirname, "..") });

/** The version in names of archives, in commands, and in the dependencies of the examples. */
export const packageVersion = /(?<=dbwebhooks(?:-v?| |": "\^))\d+\.\d+\.\d+(?:-(?:[a-z]+\.)?\d+)?/g;
