import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { readPage } from "../helpers/markdown.js";

const source = join(__dirname, "../../src");

/** The box of the picture that a file of `src` is in; the public `index.ts` is what programs load. */
function boxOf(file: string): string {
  const [folder = ""] = file.split("/");
  if (folder === "dynamic" || folder === "index.ts") {
    return file === "dynamic/provider.ts" ? "provider" : "programs";
  }
  return folder === "local-service" ? "local" : folder;
}

/** The arrows that the imports are: from box to box, but for those to `common`. */
function importedArrows(): string[] {
  const arrows = globSync("**/*.ts", { cwd: source }).flatMap((file) => {
    const text = readFileSync(join(source, file), "utf8");
    const imported = [...text.matchAll(/from "(\.{1,2}\/[^"]+)\.js"/g)].map(([, path = ""]) =>
      relative(source, join(source, dirname(file), path)).concat(".ts"),
    );
    return imported.map((path) => `${boxOf(file)} --> ${boxOf(path)}`);
  });
  const isBetweenBoxes = (arrow: string) => new Set(arrow.split(" --> ")).size === 2;
  return [...new Set(arrows)].filter((one) => isBetweenBoxes(one) && !one.endsWith("common"));
}

/** The arrows of the picture, and those that two of them make. */
function drawnArrows(): { drawn: string[]; reached: string[] } {
  const [, picture = ""] = /```mermaid\n([\s\S]*?)```/.exec(readPage("docs/developing.md")) ?? [];
  const chains = picture.split("\n").filter((line) => line.includes("-->"));
  const drawn = chains.flatMap((chain) => {
    const boxes = chain.trim().split(" --> ");
    return boxes.slice(1).map((box, index) => `${boxes[index]} --> ${box}`);
  });
  const pairs = drawn.map((arrow) => arrow.split(" --> "));
  const reached = pairs.flatMap(([from, middle]) =>
    pairs.filter(([start]) => start === middle).map(([, to]) => `${from} --> ${to}`),
  );
  return { drawn, reached };
}

describe("The map in docs/developing.md", () => {
  it("shows every import between folders", () => {
    const { drawn, reached } = drawnArrows();

    expect([...drawn, ...reached]).toEqual(expect.arrayContaining(importedArrows()));
  });

  it("shows no arrow that is no import", () => {
    const toCommon = ["service", "programs", "local"].map((box) => `${box} --> common`);

    expect([...importedArrows(), ...toCommon]).toEqual(expect.arrayContaining(drawnArrows().drawn));
  });
});
