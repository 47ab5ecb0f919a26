const key = "__provider";

/**
 * Pulumi's provider process evaluates this text, which the state holds with every webhook. It never
 * changes, so an upgrade of this package changes no state, and the new code handles the webhooks of
 * an old state.
 */
export const providerText = 'exports.handler = () => require("pulumi-dbwebhooks/provider")';

/**
 * Adds the text to the inputs or the outputs of a webhook. The plugin stores it too: Pulumi loads a
 * dynamic provider from the inputs for a comparison, and from the outputs for a deletion, so a
 * webhook can move to the dynamic provider only with both.
 */
export function withProviderText(
  properties: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return { ...properties, [key]: providerText };
}

/** Returns the arguments of a webhook without the text. */
export function withoutProviderText({
  [key]: _text,
  ...properties
}: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return properties;
}

/** Whether inputs or outputs are those that a provider of this package has stored. */
export function hasProviderText(properties: Readonly<Record<string, unknown>>): boolean {
  return key in properties;
}
