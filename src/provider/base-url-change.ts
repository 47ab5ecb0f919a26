import { shownValue } from "../common/redact.js";
import { type ConfigSource, readConfig, readSetting } from "./config.js";
import { normalizeBaseUrl, validateBaseUrl } from "./url-rules.js";

/** The change of a provider from one base URL to that of another service. Both texts are fit to be shown. */
export interface BaseUrlChange {
  readonly from: string;
  readonly to: string;
  /**
   * Whether Pulumi can replace the provider and its webhooks: it creates with the new settings and deletes with the
   * old ones. `keyIsMissing`: the stored arguments hold no key, and the environment no longer does.
   * `environmentDecides`: it set the old address or the old key, so the old provider would now take the new ones.
   */
  readonly kind: "replacement" | "keyIsMissing" | "environmentDecides";
}

/**
 * Compares the base URLs of the old and the new settings of a provider or, for a webhook that moves, those
 * of its old and its new provider.
 *
 * @returns `undefined` for the same service, and if an address is invalid or not known yet.
 */
export function compareBaseUrls(olds: ConfigSource, news: ConfigSource): BaseUrlChange | undefined {
  const next = readConfig(news).settings;
  const [baseUrl, apiKey] = [readSetting(olds, "baseUrl"), readSetting(olds, "apiKey")];
  if (!next || !baseUrl || validateBaseUrl(baseUrl.text, { allowInsecureBaseUrl: true })) {
    return undefined;
  }
  const old = normalizeBaseUrl(baseUrl.text);
  if ([next.baseUrl, ...next.formerBaseUrls].includes(old)) {
    return undefined;
  }
  const [from, to] = [shownValue(old), shownValue(next.baseUrl)];
  if (apiKey === undefined) {
    return { from, to, kind: "keyIsMissing" };
  }
  const isStored = !baseUrl.isFromEnvironment && !apiKey.isFromEnvironment;
  return { from, to, kind: isStored ? "replacement" : "environmentDecides" };
}
