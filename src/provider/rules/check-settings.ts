// What is decided about the settings of a provider before a resource uses it.
import { shownValue } from "../../common/plain-text.js";
import { settingNames } from "../../common/setting-names.js";
import { validateNames } from "../../common/unknown-names.js";
import { type ConfigSource, readConfig } from "./config.js";
import { parseBaseUrl } from "./url-rules.js";
import { isUnknown, type Properties, withUnwrappedSecrets, wrapSecret } from "./values.js";

// Pulumi itself adds these properties to the settings.
const pulumiNames = ["version", "pluginDownloadURL", "pluginChecksums", "__internal"];

/** The result of {@link checkSettings}. */
interface SettingsCheck {
  /** What Pulumi stores. */
  readonly inputs: Properties;
  readonly failures: readonly string[];
}

/**
 * Checks the settings of a provider: the stack's configuration, or the arguments of an explicit
 * one. For an explicit provider, every problem is a failure once all arguments are known. For the
 * default provider, the webhooks report invalid values.
 *
 * @param olds The settings that Pulumi stored before; empty for a new provider.
 * @param source Where the new settings come from.
 */
export function checkSettings(
  olds: Properties,
  news: Properties,
  source: ConfigSource,
): SettingsCheck {
  const failures: string[] = [];
  // Pulumi passes a secret key and a key in plain text in the same way, so no warning can tell them
  // apart. Wrapped, it is encrypted in the state in both cases.
  const apiKey = isUnknown(news.apiKey) ? news.apiKey : wrapSecret(news.apiKey);
  const inputs = { ...news, apiKey };
  if (!source.isExplicit()) {
    return { inputs, failures };
  }
  const names = Object.keys(news).filter((name) => !pulumiNames.includes(name));
  failures.push(...validateNames(names, settingNames));
  const baseUrl = baseUrlOf(news);
  const stored = baseUrlOf(olds);
  if (baseUrl !== undefined && stored !== undefined && baseUrl !== stored) {
    failures.push(
      `baseUrl: is ${shownValue(baseUrl)}, and this Provider has the address ${shownValue(stored)}, which cannot change; set it back, and declare a second Provider with the new address and its key`,
    );
  }
  if (!isUnknown(news)) {
    failures.push(...readConfig(source).problems);
  }
  // Not as a secret, and in one spelling, because the next check compares it.
  return { inputs: baseUrl === undefined ? inputs : { ...inputs, baseUrl }, failures };
}

function baseUrlOf(settings: Properties): string | undefined {
  const { baseUrl } = withUnwrappedSecrets(settings);
  return typeof baseUrl === "string" ? parseBaseUrl(baseUrl) : undefined;
}
