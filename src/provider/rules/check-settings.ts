// What is decided about the settings of a provider before a resource uses it.
import { shownValue } from "../../common/plain-text.js";
import { parseBaseUrl } from "../../common/url-rules.js";
import { readSettings, type SettingsSource } from "./read-settings.js";
import { hasMarker, type Properties, withUnwrappedSecrets, wrapSecret } from "./values.js";

/** The result of {@link checkSettings}. */
interface SettingsCheck {
  /** What Pulumi stores. */
  readonly inputs: Properties;
  readonly failures: readonly string[];
}

/**
 * Checks the settings of a provider: the stack's configuration, or the arguments of an explicit
 * one. For an explicit provider, every problem is a failure once all arguments are known. For the
 * default provider, the webhooks report invalid values. Other names pass: Pulumi adds properties of
 * its own, and later versions may add further ones.
 *
 * @param olds The settings that Pulumi stored before; empty for a new provider.
 * @param source Where the new settings come from.
 */
export function checkSettings(
  olds: Properties,
  news: Properties,
  source: SettingsSource,
): SettingsCheck {
  const inputs = withSecretKey(news);
  if (!source.isExplicit()) {
    return { inputs, failures: [] };
  }
  const baseUrl = baseUrlOf(news);
  const failures = [
    ...validateSameBaseUrl(baseUrlOf(olds), baseUrl),
    ...(hasMarker(news) ? [] : readSettings(source).problems),
  ];
  // Not as a secret, and in one spelling, because the next check compares it.
  return { inputs: baseUrl === undefined ? inputs : { ...inputs, baseUrl }, failures };
}

/**
 * Makes a secret of the API key. Pulumi passes a secret key and a key in plain text in the same
 * way, so no warning can tell them apart; the state encrypts both.
 */
function withSecretKey(settings: Properties): Properties {
  const { apiKey } = settings;
  return { ...settings, apiKey: hasMarker(apiKey) ? apiKey : wrapSecret(apiKey) };
}

/** The base URL of a provider cannot change. */
function validateSameBaseUrl(old: string | undefined, next: string | undefined): string[] {
  return old === undefined || next === undefined || old === next
    ? []
    : [
        `baseUrl: is ${shownValue(next)}, and this Provider has the address ${shownValue(old)}, which cannot change; set it back, and declare a second Provider with the new address and its key, or, if the same service has a new address, edit the state as docs/configuration.md says`,
      ];
}

function baseUrlOf(settings: Properties): string | undefined {
  const { baseUrl } = withUnwrappedSecrets(settings);
  return typeof baseUrl === "string" ? parseBaseUrl(baseUrl) : undefined;
}
