// Translates between Pulumi's gRPC messages and properties.
import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb.js";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { webhookArguments } from "../../provider/arguments.js";
import { type Difference, isSame } from "../../provider/diff.js";
import type { Properties } from "../../provider/values.js";

/** The properties in a struct of the engine; an empty object if there is none. */
export function propertiesOf(struct: Struct | undefined): Record<string, unknown> {
  return struct?.toJavaScript() ?? {};
}

/** Properties as a struct for the engine. It omits `undefined`, which a struct cannot hold. */
export function structOf(properties: Properties): Struct {
  const known = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Struct.fromJavaScript(Object.fromEntries(known) as Record<string, JavaScriptValue>);
}

/**
 * The result of a comparison, with the detail of each property that previews show.
 *
 * Drift appears as a difference of outputs: the program has not changed, and the user should see the
 * value that the service has.
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
  const { DIFF_SOME, DIFF_NONE } = DiffResponse.DiffChanges;
  response.setChanges(names.length > 0 ? DIFF_SOME : DIFF_NONE);
  response.setReplacesList(names);
  response.setDiffsList(names);
  response.setHasdetaileddiff(true);
  const details = response.getDetaileddiffMap();
  // Pulumi reads the new value from the arguments, so the base URL would appear as removed.
  for (const property of names.filter((name) => name in webhookArguments)) {
    const isInput = !isSame(property, oldInputs[property], news[property]);
    const old = (isInput ? oldInputs : olds)[property];
    const detail = new PropertyDiff();
    detail.setKind(kindOfChange(old, news[property]));
    detail.setInputdiff(isInput);
    details.set(property, detail);
  }
  return response;
}

function kindOfChange(old: unknown, next: unknown): PropertyDiff.Kind {
  const { ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE } = PropertyDiff.Kind;
  if (isAbsent(old)) {
    return ADD_REPLACE;
  }
  return isAbsent(next) ? DELETE_REPLACE : UPDATE_REPLACE;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
