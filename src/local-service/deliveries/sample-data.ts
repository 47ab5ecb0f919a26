import { randomBytes } from "node:crypto";

/** The data of a notification when none is given, in the form of a public service. */
export function sampleData(type: string, tableId = newId("tbl")): Record<string, unknown> {
  const recordId = newId("rec");
  const record = { id: recordId, data: { Name: "A sample" } };
  const fieldId = newId("fld");
  const field = { id: fieldId, name: "A sample", type: "text" };
  switch (type) {
    case "record.created":
    case "record.updated":
      return { tableId, recordIds: [recordId], records: [record] };
    case "record.deleted":
      return { tableId, recordIds: [recordId] };
    case "table.created":
    case "table.updated":
    case "table.deleted":
      return { tableId, table: { id: tableId, name: "A sample" } };
    case "field.created":
    case "field.deleted":
      return { tableId, fieldId, field };
    case "field.updated":
      return { tableId, fieldId, field, previousField: { ...field, name: "An older name" } };
    default:
      return {};
  }
}

/** A new identifier: its prefix and 96 random bits. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString("hex")}`;
}
