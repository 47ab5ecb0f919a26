import { json } from "node:stream/consumers";

const advice =
  "Set WEBHOOK_SECRETS, or pipe `pulumi stack output --json --show-secrets` into this.";

/**
 * The signing secrets: from WEBHOOK_SECRETS, several with spaces between, or else from the outputs of
 * a stack on standard input, as `pulumi stack output --json --show-secrets` prints them.
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

/** Every output, or entry of a list, that has the form of a signing secret, whatever its name. */
function secretsOf(outputs: unknown): string[] {
  return Object.values(Object(outputs))
    .flat()
    .filter((value): value is string => typeof value === "string" && value.startsWith("whsec_"));
}
