import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb.js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { Any } from "google-protobuf/google/protobuf/any_pb.js";
import { PartialCreationError, WebhookError } from "../../provider/errors.js";
import { structOf } from "./grpc-messages.js";

/** A request that the plugin cannot accept, with its gRPC status code. */
export class RequestError extends WebhookError {
  readonly code: status;

  constructor(message: string, code: status) {
    super("unchanged", message);
    this.code = code;
  }
}

/** Translates an error for the engine: a message and, for a partial creation, what to store. */
export function grpcErrorOf(error: unknown): Partial<ServiceError> {
  if (error instanceof PartialCreationError) {
    return { code: status.UNKNOWN, details: error.message, metadata: partialCreation(error) };
  }
  if (error instanceof RequestError) {
    return { code: error.code, details: error.message };
  }
  // The message of any other error can contain a secret.
  const message =
    error instanceof WebhookError
      ? error.message
      : "The request failed unexpectedly. This is a fault of pulumi-resource-dbwebhooks: please report it.";
  return { code: status.UNKNOWN, details: message };
}

/**
 * The details that make the engine store a webhook that is not usable.
 *
 * Source: `ErrorResourceInitFailed` in `proto/pulumi/provider.proto`; gRPC carries a `google.rpc.Status`
 * in this header.
 */
function partialCreation({ id, properties, reasons, message }: PartialCreationError): Metadata {
  const failed = new ErrorResourceInitFailed();
  failed.setId(id);
  failed.setProperties(structOf(properties));
  failed.setReasonsList([...reasons]);
  const packed = new Any();
  packed.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const details = new Status();
  details.setCode(status.UNKNOWN);
  details.setMessage(message);
  details.addDetails(packed);
  const metadata = new Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(details.serializeBinary()));
  return metadata;
}
