import { json } from "node:stream/consumers";

/**
 * The signing secrets: from WEBHOOK_SECRETS, several with spaces between, or else from the outputs of
 * a stack on standard input, as `pulumi stack output --json --show-secrets` prints them.
 */
export async function readSecrets(
  environment: NodeJS.ProcessEnv,
  input: NodeJS.ReadStream,
): Promise<string[]> {
  const fromEnvironment = environment.WEBHOOK_SECRETS?.split(" ").filter(Boolean);
  const secrets = fromEnvironment ?? (input.isTTY ? [] : secretsOf(await json(input)));
  if (secrets.length === 0) {
    throw new Error(
      "Set WEBHOOK_SECRETS, or pipe `pulumi stack output --json --show-secrets` into this.",
    );
  }
  return secrets;
}

/** Every output that has the form of a signing secret, whatever its name. */
function secretsOf(outputs: unknown): string[] {
  return Object.values(Object(outputs)).filter(
    (value): value is string => typeof value === "string" && value.startsWith("whsec_"),
  );
}
