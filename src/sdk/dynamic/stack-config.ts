import * as pulumi from "@pulumi/pulumi";
import { problemOfNodeVersion } from "../../common/node-version.js";
import { namespace, problemsOfSettingNames } from "../../common/setting-names.js";

/** Fails where Node.js is too old: what comes later would fail in places that say nothing of it. */
export function refuseOldNode(): void {
  const problem = problemOfNodeVersion("pulumi-dbwebhooks", process.versions.node);
  if (problem !== undefined) {
    throw new pulumi.RunError(problem);
  }
}

// One process runs many programs with the Automation API; each of them has a stack of its own.
const warned = new WeakSet<object>();

/**
 * Warns, once in a run of a program, about stack configuration that is not what its author meant: a
 * key that this package does not know, and an API key in plain text.
 */
export function warnAboutConfig(): void {
  const run = pulumi.runtime.getStackResource() ?? pulumi.runtime;
  if (warned.has(run)) {
    return;
  }
  warned.add(run);
  const prefix = `${namespace}:`;
  const keys = Object.keys(pulumi.runtime.allConfig()).filter((key) => key.startsWith(prefix));
  for (const problem of problemsOfSettingNames(keys.map((key) => key.slice(prefix.length)))) {
    void pulumi.log.warn(`Stack configuration ${prefix}${problem}`);
  }
  const apiKey = `${prefix}apiKey`;
  if (keys.includes(apiKey) && !isSecret(apiKey)) {
    void pulumi.log.warn(
      `${apiKey} is stored in plain text, in the stack's configuration and in its state; run "pulumi config set --secret ${apiKey}" and replace the key.`,
    );
  }
}

/** Whether a key was set with --secret; true where this version of Pulumi does not tell. */
function isSecret(key: string): boolean {
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  return isConfigSecret?.(key) ?? true;
}
