// The settings of one account: where each value comes from, and what is wrong with it.
import { shownValue } from "../../common/plain-text.js";
import {
  namespace,
  type SettingName,
  settingNames,
  settingsTable,
  validateProviderArgument,
  validateSetting,
} from "../../common/settings-table.js";
import { normalizeBaseUrl, parseBaseUrl } from "../../common/url-rules.js";
import { hasMarker, type Properties, withUnwrappedSecrets, wrapSecret } from "./values.js";

/**
 * The settings of one account, validated, and where they come from. The API key is not among them:
 * only what sends requests, and what redacts, gets it.
 */
export interface Settings {
  /** Normalized, without a slash at the end. */
  readonly baseUrl: string;
  readonly timeoutSeconds: number;
  readonly retrySeconds: number;
  /** When to use the list operation; `undefined`: only after a deletion that got 404. */
  readonly listing: boolean | undefined;
  /** Whether they are the arguments of an explicit `Provider`. */
  readonly isExplicit: boolean;
  /** The settings that the environment has set. */
  readonly namesFromEnvironment: readonly SettingName[];
}

/** A problem of a setting. */
export interface SettingProblem {
  readonly name: SettingName;
  /** What is wrong with it. */
  readonly problem: string;
  /** The setting, and what is wrong with it. */
  readonly text: string;
  /** Whether the environment has set the value. */
  readonly isFromEnvironment: boolean;
  /** Whether the default provider lacks the setting. */
  readonly isMissing: boolean;
}

/** Valid settings and the API key, or at least one problem. */
export type SettingsResult =
  | { readonly settings: Settings; readonly apiKey: string; readonly problems: readonly [] }
  | {
      readonly settings?: undefined;
      readonly apiKey?: undefined;
      readonly problems: readonly SettingProblem[];
    };

/** Where the settings of a provider come from. */
export interface SettingsSource {
  /**
   * Returns a setting of the stack's configuration, or an argument of an explicit provider, which
   * may be no text.
   */
  readonly get: (name: SettingName) => unknown;
  readonly isExplicit: () => boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the settings of an account.
 *
 * For the default provider the environment takes precedence over the stack's configuration, because
 * `destroy` and `refresh` use the configuration that the last `up` stored: after a key rotation the
 * environment is the only way to pass the new key. An explicit `Provider` has the base URL and the
 * key of its own arguments: from the environment, one service could get the key of another. Its
 * other arguments take precedence over the environment. An empty variable counts as absent.
 */
export function readSettings(source: SettingsSource): SettingsResult {
  const isExplicit = source.isExplicit();
  const given = settingNames.map((name) => givenSetting(source, name));
  const problems = given.flatMap((setting) => validateGiven(setting, isExplicit));
  if (problems.length > 0) {
    return { problems };
  }
  const fromEnvironment = given.filter(({ isFromEnvironment }) => isFromEnvironment);
  const values = Object.fromEntries(given.map(({ name, value }) => [name, value]));
  const { baseUrl, apiKey, listing } = values;
  const { timeoutSeconds, retrySeconds } = settingsTable;
  const settings = {
    baseUrl: normalizeBaseUrl(String(baseUrl)),
    timeoutSeconds: Number(values.timeoutSeconds ?? timeoutSeconds.defaultValue),
    retrySeconds: Number(values.retrySeconds ?? retrySeconds.defaultValue),
    listing: listing === undefined ? undefined : String(listing) === "true",
    isExplicit,
    namesFromEnvironment: fromEnvironment.map(({ name }) => name),
  };
  return { settings, apiKey: String(apiKey), problems: [] };
}

/** The result of {@link checkSettings}. */
interface SettingsCheck {
  /** The settings for Pulumi to store. */
  readonly inputs: Properties;
  readonly problems: readonly string[];
}

/**
 * Checks the settings of a provider: the stack's configuration, or the arguments of an explicit
 * one. For an explicit provider, every problem of a known argument is a failure. For the
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
    return { inputs, problems: [] };
  }
  const baseUrl = baseUrlOf(news);
  const known = settingNames.filter((name) => !hasMarker(news[name]));
  const problems = [
    ...validateSameBaseUrl(baseUrlOf(olds), baseUrl),
    ...known
      .flatMap((name) => validateGiven(givenSetting(source, name), true))
      .map(({ text }) => text),
  ];
  // Not as a secret, and in one spelling, because the next check compares it.
  return { inputs: baseUrl === undefined ? inputs : { ...inputs, baseUrl }, problems };
}

/** A setting, not validated. */
interface GivenSetting {
  readonly name: SettingName;
  /** `undefined` if it is not given. It may be no text. */
  readonly value: unknown;
  readonly isFromEnvironment: boolean;
}

function givenSetting(
  { get, isExplicit, environment }: SettingsSource,
  name: SettingName,
): GivenSetting {
  const { variable, isRequired } = settingsTable[name];
  const own = get(name) ?? "";
  const inherited = environment[variable] ?? "";
  const ignoresEnvironment = isExplicit() && (isRequired || own !== "");
  return inherited === "" || ignoresEnvironment
    ? { name, value: own === "" ? undefined : own, isFromEnvironment: false }
    : { name, value: inherited, isFromEnvironment: true };
}

/** Returns the problems of a setting. */
function validateGiven(
  { name, value, isFromEnvironment }: GivenSetting,
  isExplicit: boolean,
): readonly SettingProblem[] {
  const isMissing = !isExplicit && value === undefined;
  const { variable, isRequired } = settingsTable[name];
  const path = isExplicit ? name : `${namespace}:${name}`;
  const setBy = isFromEnvironment ? `; ${variable} sets this value` : "";
  const problemOf = (problem: string, text = `${path}: ${problem}${setBy}`) => {
    return { name, problem, text, isFromEnvironment, isMissing };
  };
  if (isExplicit && !isFromEnvironment) {
    return validateProviderArgument(name, value).map((text) => problemOf(text, text));
  }
  if (isMissing) {
    return isRequired ? [problemOf("is not set")] : [];
  }
  return validateSetting(name, value).map((problem) => problemOf(problem));
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
        `baseUrl: is ${shownValue(next)}, and this Provider has the base URL ${shownValue(old)}, which cannot change; if the same service has a new base URL, change it in the state, as "The same service at a new base URL" in docs/troubleshooting.md says; for another service, set it back, and declare a second Provider with the other base URL and its key`,
      ];
}

function baseUrlOf(settings: Properties): string | undefined {
  const { baseUrl } = withUnwrappedSecrets(settings);
  return typeof baseUrl === "string" ? parseBaseUrl(baseUrl) : undefined;
}
