import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb.js";
import type { Comparison } from "../core/diff.js";
import type { Properties } from "../core/values.js";

const { Kind } = PropertyDiff;

/** A comparison with the difference of each property, as previews show it. */
export function diffResponse(
  { differences, localChanges }: Comparison,
  olds: Properties,
  news: Properties,
): DiffResponse {
  const response = new DiffResponse();
  response.setHasdetaileddiff(true);
  response.setReplacesList(differences.map(({ property }) => property));
  response.setDiffsList([...differences.map(({ property }) => property), ...localChanges]);
  const details = response.getDetaileddiffMap();
  for (const { property } of differences) {
    const isArgument = property in news || !(property in olds && outputs.includes(property));
    const detail = new PropertyDiff();
    detail.setKind(
      isAbsent(olds[property])
        ? Kind.ADD_REPLACE
        : isArgument && isAbsent(news[property])
          ? Kind.DELETE_REPLACE
          : Kind.UPDATE_REPLACE,
    );
    detail.setInputdiff(isArgument);
    details.set(property, detail);
  }
  for (const property of localChanges) {
    details.set(property, new PropertyDiff().setKind(Kind.UPDATE).setInputdiff(true));
  }
  const isChanged = differences.length + localChanges.length > 0;
  const { DIFF_SOME, DIFF_NONE } = DiffResponse.DiffChanges;
  response.setChanges(isChanged ? DIFF_SOME : DIFF_NONE);
  return response;
}

// What a webhook has besides its arguments.
const outputs = ["baseUrl", "secret"];

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
