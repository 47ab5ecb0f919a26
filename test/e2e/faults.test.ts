import { beforeAll, describe, expect, it } from "vitest";
import { createFaults } from "../helpers/faults/create-faults.js";
import { deleteFaults } from "../helpers/faults/delete-faults.js";
import {
  type CliMeasurement,
  measureCreations,
  measureDeletions,
} from "../helpers/faults/matrix.js";
import { expectRow } from "../helpers/faults/play.js";
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
