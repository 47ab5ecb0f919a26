import { json } from "node:stream/consumers";

const advice =
  "Set WEBHOOK_SECRETS, or pipe `pulumi stack output --json --show-secrets` into this.";

/**
 * Reads the signing secrets from WEBHOOK_SECRETS, separated by spaces. Without it, reads the outputs
 * of a stack from standard input, in the form of `pulumi stack output --json --show-secrets`.
 */
export async function readSecrets(
  environment: NodeJS.ProcessEnv,
  input: NodeJS.ReadStream,
): Promise<string[]> {
  const fromEnvironment = environment.WEBHOOK_SECRETS?.split(" ").filter(Boolean);
  if (fromEnvironment === undefined && !input.isTTY) {
    return await readOutputs(input);
  }
  if (fromEnvironment === undefined || fromEnvironment.length === 0) {
    throw new Error(advice);
  }
  return fromEnvironment;
}

async function readOutputs(input: NodeJS.ReadStream): Promise<string[]> {
  const outputs = await json(input).catch(() => {
    throw new Error(`Standard input holds no JSON. ${advice}`);
  });
  const secrets = secretsOf(outputs);
  if (secrets.length === 0) {
    throw new Error(`No output begins with whsec_. ${advice}`);
  }
  return secrets;
}

/** All outputs, and entries of lists, that have the form of a signing secret. */
function secretsOf(outputs: unknown): string[] {
  return Object.values(Object(outputs))
    .flat()
    .filter((value): value is string => typeof value === "string" && value.startsWith("whsec_"));
}
