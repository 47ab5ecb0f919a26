import { beforeAll, describe, expect, it } from "vitest";
import { createFaults } from "../helpers/create-faults.js";
import { deleteFaults } from "../helpers/delete-faults.js";
import {
  type CliMeasurement,
  measureCreations,
  measureDeletions,
} from "../helpers/fault-matrix.js";
import { expectRow } from "../helpers/fault-play.js";
import { javascriptProgram, yamlProgram } from "../helpers/programs.js";

describe.each([javascriptProgram, yamlProgram])("Through $name, on the real CLI", (program) => {
  let creations: ReadonlyMap<string, CliMeasurement>;
  let deletions: ReadonlyMap<string, CliMeasurement>;

  beforeAll(async () => {
    creations = await measureCreations(program, createFaults);
    deletions = await measureDeletions(program, deleteFaults);
  });

  it.each(createFaults)("a creation loses nothing: $name", (row) => {
    const measured = creations.get(row.name);

    expectRow(row, measured);
    expect(measured).toMatchObject({ forgotten: 0, end: "the webhook" });
  });

  it.each(deleteFaults)("a deletion loses nothing: $name", (row) => {
    const measured = deletions.get(row.name);

    expectRow(row, measured);
    expect(measured).toMatchObject({ forgotten: 0, end: "nothing" });
  });
});
