import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createFaults } from "../helpers/create-faults.js";
import { deleteFaults } from "../helpers/delete-faults.js";
import {
  type FaultRow,
  type Measurement,
  measureCreations,
  measureDeletions,
} from "../helpers/fault-matrix.js";
import { faultTable } from "../helpers/fault-table.js";

const documentFile = join(__dirname, "../../docs/faults.md");

let creations: ReadonlyMap<string, Measurement>;
let deletions: ReadonlyMap<string, Measurement>;

beforeAll(async () => {
  creations = await measureCreations(createFaults);
  deletions = await measureDeletions(deleteFaults);
});

describe("A creation on the real CLI", () => {
  it.each(createFaults)("loses nothing: $name", (row) => {
    const measured = creations.get(row.name);

    expectOutcome(row, measured);
    expect(measured?.end).toBe("the webhook");
  });
});

describe("A deletion on the real CLI", () => {
  it.each(deleteFaults)("loses nothing: $name", (row) => {
    const measured = deletions.get(row.name);

    expectOutcome(row, measured);
    expect(measured?.end).toBe("nothing");
  });
});

describe("docs/faults.md", () => {
  it("shows what happens (UPDATE_DOCS=1 writes it)", async () => {
    const text = await readFile(documentFile, "utf8");
    const measured = text
      .replace(/(?<=\n## Create\n\n)(\|.*\n)*/, faultTable(createFaults, creations))
      .replace(/(?<=\n## Delete\n\n)(\|.*\n)*/, faultTable(deleteFaults, deletions));
    if (process.env.UPDATE_DOCS === "1") {
      await writeFile(documentFile, measured);
    }

    expect(await readFile(documentFile, "utf8")).toBe(measured);
  });
});

function expectOutcome(row: FaultRow, measured: Measurement | undefined): void {
  const { posts = 0, deletes = 0, service = "nothing", state = "nothing", says } = row;
  expect(measured).toMatchObject({ posts, deletes, service, state, forgotten: 0 });
  const expected = typeof says === "function" ? says(row.name) : (says ?? /^$/);
  expect(measured?.message).toEqual(
    typeof expected === "string"
      ? expect.stringContaining(expected)
      : expect.stringMatching(expected),
  );
}
