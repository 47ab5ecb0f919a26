import * as pulumi from "@pulumi/pulumi";
import {
  namespace,
  sharesNamespace,
  validateEnvironmentNames,
  validateSettingNames,
} from "../../common/setting-names.js";

// With the Automation API, one process can run several programs, each with its own stack resource.
const warnedStacks = new WeakSet<object>();

/**
 * Warns once per run of a program about likely mistakes in the configuration: an unknown key of the
 * stack, an unknown environment variable, and an API key in plain text.
 */
export function warnAboutConfiguration(): void {
  // Without a stack resource, as in unit tests of a program, the warnings appear once per process.
  const stack = pulumi.runtime.getStackResource() ?? pulumi.runtime;
  if (warnedStacks.has(stack)) {
    return;
  }
  warnedStacks.add(stack);
  const prefix = `${namespace}:`;
  const keys = Object.keys(pulumi.runtime.allConfig()).filter((key) => key.startsWith(prefix));
  const unknownKeys = sharesNamespace(pulumi.runtime.getProject())
    ? []
    : validateSettingNames(keys.map((key) => key.slice(prefix.length)));
  const problems = [
    ...unknownKeys.map((problem) => `Stack configuration ${prefix}${problem}`),
    ...validateEnvironmentNames(Object.keys(process.env)),
  ];
  const apiKey = `${prefix}apiKey`;
  if (keys.includes(apiKey) && !isSecret(apiKey)) {
    problems.push(
      `${apiKey} is stored in plain text, in the stack's configuration and with its state; run "pulumi config set --secret ${apiKey}" and replace the key.`,
    );
  }
  for (const problem of problems) {
    void pulumi.log.warn(problem);
  }
}

/** Whether a key was set with `--secret`; true if this version of Pulumi cannot tell. */
function isSecret(key: string): boolean {
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  return isConfigSecret?.(key) ?? true;
}
