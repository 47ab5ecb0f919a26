import { shownValue } from "../common/redact.js";
import { type ConfigSource, readConfig } from "./config.js";

/** The change of a provider from one base URL to that of another service. Both texts are fit to be shown. */
export interface BaseUrlChange {
  readonly from: string;
  readonly to: string;
  /**
   * Whether Pulumi can replace the provider and its webhooks: it creates with the new settings and deletes with the
   * old ones. It cannot where the environment set the old address or its key, because the old provider would now
   * take the new values from there.
   */
  readonly isReplacement: boolean;
}

/**
 * Compares the base URLs of the old and the new settings of a provider or, for a webhook that moves, those
 * of its old and its new provider.
 *
 * @returns `undefined` for the same service, and if a setting is invalid or not known yet.
 */
export function compareBaseUrls(olds: ConfigSource, news: ConfigSource): BaseUrlChange | undefined {
  const old = readConfig(olds).settings;
  const next = readConfig(news).settings;
  if (!old || !next || [next.baseUrl, ...next.formerBaseUrls].includes(old.baseUrl)) {
    return undefined;
  }
  const { namesFromEnvironment: names } = old;
  return {
    from: shownValue(old.baseUrl),
    to: shownValue(next.baseUrl),
    isReplacement: !names.includes("baseUrl") && !names.includes("apiKey"),
  };
}
