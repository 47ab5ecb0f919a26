import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb.js";
import { webhookArguments } from "../../provider/arguments.js";
import { type Difference, isSame } from "../../provider/diff.js";
import type { Properties } from "../../provider/values.js";

const { Kind } = PropertyDiff;

/**
 * A comparison with the difference of each property, as previews show it.
 *
 * A difference that drift made is one of the outputs: the program says the same as before, and the
 * reader is to see what the service has.
 *
 * @param oldInputs The arguments of the last update.
 * @param olds The stored outputs.
 */
export function diffResponse(
  differences: readonly Difference[],
  oldInputs: Properties,
  olds: Properties,
  news: Properties,
): DiffResponse {
  const response = new DiffResponse();
  const names = differences.map(({ property }) => property);
  response.setHasdetaileddiff(true);
  response.setReplacesList(names);
  response.setDiffsList(names);
  const details = response.getDetaileddiffMap();
  // Pulumi takes new values from the arguments: an output such as the base URL would show as removed.
  for (const property of names.filter((name) => name in webhookArguments)) {
    const isInput = !isSame(property, oldInputs[property], news[property]);
    const old = (isInput ? oldInputs : olds)[property];
    const detail = new PropertyDiff();
    detail.setKind(
      isAbsent(old)
        ? Kind.ADD_REPLACE
        : isAbsent(news[property])
          ? Kind.DELETE_REPLACE
          : Kind.UPDATE_REPLACE,
    );
    detail.setInputdiff(isInput);
    details.set(property, detail);
  }
  const { DIFF_SOME, DIFF_NONE } = DiffResponse.DiffChanges;
  response.setChanges(names.length > 0 ? DIFF_SOME : DIFF_NONE);
  return response;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
