import * as pulumi from "@pulumi/pulumi";
import { assertNodeVersion } from "../common/node-version.js";

/** Ends a program on an old Node.js with an error that Pulumi shows without a stack trace. */
export function assertSupportedNode(): void {
  try {
    assertNodeVersion("pulumi-dbwebhooks");
  } catch (error) {
    throw new pulumi.RunError((error as Error).message);
  }
}
