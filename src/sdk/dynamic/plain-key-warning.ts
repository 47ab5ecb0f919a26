import * as pulumi from "@pulumi/pulumi";
import { namespace, settingCommand } from "../../common/settings-table.js";

const apiKey = `${namespace}:apiKey`;

// With the Automation API, one process can run several programs, each with its own stack resource.
const warnedStacks = new WeakSet<object>();

/** Warns once per run of a program if the stack's configuration has an API key in plain text. */
export function warnAboutPlainKey(): void {
  // Without a stack resource, as in unit tests of a program, the warning appears once per process.
  const stack = pulumi.runtime.getStackResource() ?? pulumi.runtime;
  if (warnedStacks.has(stack)) {
    return;
  }
  warnedStacks.add(stack);
  if (apiKey in pulumi.runtime.allConfig() && !isSecret(apiKey)) {
    void pulumi.log.warn(
      `${apiKey} is stored in plain text, in the stack's configuration and with its state; run "${settingCommand("apiKey")}" and replace the key.`,
    );
  }
}

/** Whether a key was set with `--secret`; true if this version of Pulumi cannot tell. */
function isSecret(key: string): boolean {
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  return isConfigSecret?.(key) ?? true;
}
