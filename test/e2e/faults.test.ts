import { beforeAll, describe, expect, it } from "vitest";
import { createFaults } from "../helpers/create-faults.js";
import { deleteFaults } from "../helpers/delete-faults.js";
import {
  type CliMeasurement,
  measureCreations,
  measureDeletions,
} from "../helpers/fault-matrix.js";
import { expectRow } from "../helpers/fault-play.js";

let creations: ReadonlyMap<string, CliMeasurement>;
let deletions: ReadonlyMap<string, CliMeasurement>;

beforeAll(async () => {
  creations = await measureCreations(createFaults);
  deletions = await measureDeletions(deleteFaults);
});

describe("A creation on the real CLI", () => {
  it.each(createFaults)("loses nothing: $name", (row) => {
    const measured = creations.get(row.name);

    expectRow(row, measured);
    expect(measured).toMatchObject({ forgotten: 0, end: "the webhook" });
  });
});

describe("A deletion on the real CLI", () => {
  it.each(deleteFaults)("loses nothing: $name", (row) => {
    const measured = deletions.get(row.name);

    expectRow(row, measured);
    expect(measured).toMatchObject({ forgotten: 0, end: "nothing" });
  });
});
