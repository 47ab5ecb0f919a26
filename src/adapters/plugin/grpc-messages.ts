// Translates properties, differences and errors into Pulumi's gRPC messages, and properties back.
import { type ServiceError, status } from "@grpc/grpc-js";
import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb.js";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { WebhookError } from "../../provider/command/errors.js";
import { unexpectedErrorText } from "../../provider/messages/plugin-errors.js";
import { webhookArguments } from "../../provider/rules/arguments.js";
import { isSame } from "../../provider/rules/differences.js";
import type { Properties } from "../../provider/rules/values.js";

/** Returns the properties in a struct of the engine, or an empty object without a struct. */
export function propertiesOf(struct: Struct | undefined): Record<string, unknown> {
  return struct?.toJavaScript() ?? {};
}

/**
 * Returns properties as a struct for the engine, without `undefined`, which a struct cannot hold.
 */
export function structOf(properties: Properties): Struct {
  const present = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Struct.fromJavaScript(Object.fromEntries(present) as Record<string, JavaScriptValue>);
}

/**
 * Translates the names of properties that differ, with the detail that previews show for each of
 * them.
 *
 * Drift appears as a difference of outputs: the program has not changed, and the user should see
 * the value that the service has.
 *
 * @param oldInputs The arguments of the last update.
 * @param olds The stored outputs.
 */
export function diffResponse(
  names: string[],
  oldInputs: Properties,
  olds: Properties,
  news: Properties,
): DiffResponse {
  const response = new DiffResponse();
  const { DIFF_SOME, DIFF_NONE } = DiffResponse.DiffChanges;
  response.setChanges(names.length > 0 ? DIFF_SOME : DIFF_NONE);
  response.setReplacesList(names);
  response.setDiffsList(names);
  response.setHasdetaileddiff(true);
  const details = response.getDetaileddiffMap();
  // Only arguments get a detail: Pulumi looks up the new value among them, and would show the base
  // URL as removed.
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

/**
 * Translates an error for the engine, which shows its message alone. The message of an unexpected
 * error can contain a secret.
 */
export function grpcErrorOf(error: unknown): Partial<ServiceError> {
  const { message } =
    error instanceof WebhookError ? error : new WebhookError("fault", unexpectedErrorText);
  return { code: status.UNKNOWN, details: message };
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
