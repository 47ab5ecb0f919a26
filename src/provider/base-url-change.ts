import { shownValue } from "../common/redact.js";
import { type ConfigSource, readConfig } from "./config.js";

/** The change of a provider from one base URL to that of another service. Both texts are fit to be shown. */
export interface BaseUrlChange {
  readonly from: string;
  readonly to: string;
  /**
   * `replace`: Pulumi creates with the new settings and deletes with the old ones. `refuse`: the key of an
   * explicit provider comes from the environment, so a deletion would send a new key to the old address.
   * `leave`: the comparison of each webhook decides.
   */
  readonly consequence: "replace" | "refuse" | "leave";
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
  const [from, to] = [shownValue(old.baseUrl), shownValue(next.baseUrl)];
  // The settings of a new provider, which has no old arguments, count as coming from the environment too.
  if (old.namesFromEnvironment.includes("baseUrl")) {
    return { from, to, consequence: "leave" };
  }
  if (!old.namesFromEnvironment.includes("apiKey")) {
    return { from, to, consequence: "replace" };
  }
  return { from, to, consequence: next.isExplicit ? "refuse" : "leave" };
}
