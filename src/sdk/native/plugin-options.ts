import * as pulumi from "@pulumi/pulumi";
import { problemOfNodeVersion } from "../../common/node-version.js";
import { version } from "../../common/version.js";

/** Asks Pulumi for the plugin of this package's version. Fails where Node.js is too old to run it. */
export function pluginOptions(opts: pulumi.ResourceOptions | undefined): pulumi.ResourceOptions {
  const problem = problemOfNodeVersion("pulumi-dbwebhooks", process.versions.node);
  if (problem !== undefined) {
    throw new pulumi.RunError(problem);
  }
  return pulumi.mergeOptions({ version }, opts);
}
