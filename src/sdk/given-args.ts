import * as pulumi from "@pulumi/pulumi";

/**
 * Returns the arguments of a resource, none of them if a JavaScript program has omitted all.
 *
 * @param resource The resource in messages.
 * @throws RunError for an Output, whose own properties would pass for arguments that do not exist.
 */
export function givenArgs<Args extends object>(resource: string, args: Args): Partial<Args> {
  if (pulumi.Output.isInstance(args)) {
    throw new pulumi.RunError(
      `${resource}: its arguments are an Output; pass an object, whose values may be Outputs.`,
    );
  }
  return args ?? {};
}

/** Whether a value of the program may not be known yet. */
export function isPending<Value>(
  value: pulumi.Input<Value>,
): value is Promise<Value> | pulumi.OutputInstance<Value> {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}
