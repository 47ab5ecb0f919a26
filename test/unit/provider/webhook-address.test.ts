import { expect, it } from "vitest";
import { parseStateEntry } from "../../../src/provider/rules/state.ts";
import { addressOf } from "../../../src/provider/rules/webhook-address.ts";

const id = "17";
const state = { baseUrl: "https://tables.example.com", databaseId: "base_1" };

it("An entry of the state has the address that its id and its state name", () => {
  expect(addressOf(parseStateEntry(id, state))).toEqual({ ...state, id });
});

it.each<[string, entry: { readonly id?: string; readonly [name: string]: unknown }]>([
  ["a database before the id", { id: "base_1/17" }],
  ["a leading zero in the id", { id: "017" }],
  ["a path as id", { id: ".." }],
  ["no id", { id: "" }],
  ["no database", { databaseId: "" }],
  ["a number as database", { databaseId: 7 }],
  ["a path as database", { databaseId: ".." }],
  ["a space after the database", { databaseId: "base_1 " }],
  ["a damaged database", { databaseId: "\ud800" }],
  ["no base URL", { baseUrl: "" }],
  ["a host as base URL", { baseUrl: "tables.example.com" }],
  ["a user in the base URL", { baseUrl: "https://user@tables.example.com" }],
  ["a query in the base URL", { baseUrl: "https://tables.example.com?a" }],
  ["a fragment in the base URL", { baseUrl: "https://tables.example.com#a" }],
])("An entry of the state has no address if it has %s", (_case, { id: oddId = id, ...changes }) => {
  expect(addressOf(parseStateEntry(oddId, { ...state, ...changes }))).toBeUndefined();
});
