import { status } from "@grpc/grpc-js";
import * as messages from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, it } from "vitest";
import { diffResponse, grpcErrorOf } from "../../../src/adapters/plugin/grpc-messages.ts";
import { apiKey, someArgs, someState } from "../../helpers/builders.ts";

const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;

describe("The response to Diff", () => {
  const { ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE } = messages.PropertyDiff.Kind;
  const table = { tableId: "tbl_1" };
  const other = { tableId: "tbl_2" };

  function responseTo(property: string, lastUpdate = {}, state = {}, program = {}) {
    const [oldInputs, news] = [someArgs(lastUpdate), someArgs(program)];
    return diffResponse([property], oldInputs, someState(state), news).toObject();
  }

  it("says explicitly that nothing changes", () => {
    const response = diffResponse([], someArgs(), someState(), someArgs()).toObject();

    expect(response).toMatchObject({ changes: DIFF_NONE, hasdetaileddiff: true, replacesList: [] });
  });

  it.each([
    { kind: UPDATE_REPLACE, lastUpdate: table, state: table, program: other },
    { kind: ADD_REPLACE, lastUpdate: {}, state: other, program: table },
    { kind: DELETE_REPLACE, lastUpdate: table, state: table, program: {} },
    { kind: DELETE_REPLACE, lastUpdate: table, state: {}, program: { tableId: null } },
  ])("shows a change from $lastUpdate to $program as one of inputs, with $state stored", (row) => {
    const { kind, lastUpdate, state, program } = row;

    expect(responseTo("tableId", lastUpdate, state, program)).toMatchObject({
      changes: DIFF_SOME,
      deletebeforereplace: false,
      replacesList: ["tableId"],
      diffsList: ["tableId"],
      detaileddiffMap: [["tableId", { kind, inputdiff: true }]],
    });
  });

  it.each([
    { kind: UPDATE_REPLACE, program: table, state: other },
    { kind: ADD_REPLACE, program: table, state: {} },
    { kind: DELETE_REPLACE, program: {}, state: table },
  ])("shows a drift from $program to $state as a difference of outputs", (row) => {
    const { kind, program, state } = row;

    const { detaileddiffMap } = responseTo("tableId", program, state, program);

    expect(detaileddiffMap).toMatchObject([["tableId", { kind, inputdiff: false }]]);
  });

  it.each(["baseUrl", "secret"])("has no detail of %s, which is no argument", (property) => {
    expect(responseTo(property)).toMatchObject({ replacesList: [property], detaileddiffMap: [] });
  });
});

it("An unexpected error reaches Pulumi without its message, which can contain a secret", () => {
  const { code, details } = grpcErrorOf(new Error(`cannot read ${apiKey}`));

  expect(code).toBe(status.UNKNOWN);
  expect(details).not.toContain(apiKey);
});
