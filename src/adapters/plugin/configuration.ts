import {
  CheckFailure,
  type CheckRequest,
  CheckResponse,
  type ConfigureRequest,
  type DiffRequest,
  DiffResponse,
} from "@pulumi/pulumi/proto/provider_pb.js";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb.js";
import { shownValue } from "../../common/redact.js";
import {
  isDefaultProviderName,
  namespace,
  type SettingName,
  validateEnvironmentNames,
  validateSettingNames,
} from "../../common/setting-names.js";
import { version } from "../../common/version.js";
import { type ConfigSource, readConfig } from "../../provider/config.js";
import {
  isUnknown,
  type Properties,
  withUnwrappedSecrets,
  wrapSecret,
} from "../../provider/values.js";
import type { EngineLog } from "./engine-log.js";
import { propertiesOf, structOf } from "./grpc-messages.js";

// Pulumi itself adds these properties to the settings.
const pulumiNames = ["version", "pluginDownloadURL", "pluginChecksums", "__internal"];

/**
 * Checks a provider before a resource uses it. For an explicit provider, every problem is a failure once
 * all arguments are known. For the default provider, unknown names are warnings, and the webhooks report
 * invalid values.
 */
export async function checkProvider(request: CheckRequest, log: EngineLog): Promise<CheckResponse> {
  const response = new CheckResponse();
  const args = propertiesOf(request.getNews());
  // Wrapped, so that Pulumi encrypts the key in the state even if the configuration holds it in plain text.
  const apiKey = isUnknown(args.apiKey) ? args.apiKey : wrapSecret(args.apiKey);
  response.setInputs(structOf({ ...args, apiKey }));
  const unknownNames = validateSettingNames(
    Object.keys(args).filter((name) => !pulumiNames.includes(name)),
  );
  const failures = validateBaseUrlChange(request);
  if (typeof args.version === "string" && args.version !== version) {
    failures.push(
      `the program asks for version ${args.version.slice(0, 100)} of the plugin, and this is ${version}; use the same version of pulumi-dbwebhooks for both, and run "pulumi package add" again where the program uses an SDK`,
    );
  }
  const warnings = validateEnvironmentNames(Object.keys(process.env));
  if (isDefault(request.getName())) {
    warnings.push(...unknownNames.map((text) => `Stack configuration ${namespace}:${text}`));
  } else {
    const problems = isUnknown(args) ? [] : readConfig(sourceOf(request.getName(), args)).problems;
    failures.push(...unknownNames, ...problems);
  }
  for (const line of warnings) {
    log.write("", line, "warning");
  }
  await log.flush();
  response.setFailuresList(failures.map((reason) => new CheckFailure().setReason(reason)));
  return response;
}

/**
 * Refuses another base URL for an explicit provider whose key comes from the environment: Pulumi would
 * update the provider in place, and the deletions would then fail. A default provider has the same rule in
 * the comparison of its webhooks.
 */
function validateBaseUrlChange(request: CheckRequest): string[] {
  const change = baseUrlChange(request.getName(), request.getOlds(), request.getNews());
  // A provider that is about to be created has no old arguments: its settings seem to come from the
  // environment.
  const isNew = change?.fromEnvironment.includes("baseUrl");
  return isDefault(request.getName()) || isNew || !change?.fromEnvironment.includes("apiKey")
    ? []
    : [
        `baseUrl: changes from ${change.from} to ${change.to}. The key comes from DBWEBHOOKS_API_KEY, and Pulumi would send it to both addresses. Leave this Provider as it is, and give the new address and its key to another Provider that the webhooks use`,
      ];
}

/** The result of comparing two providers, with a warning for the user if webhooks are replaced. */
export interface ProviderComparison {
  readonly response: DiffResponse;
  readonly warning?: string;
  /** What to set instead, if the provider has only moved. */
  readonly advice?: string;
}

/**
 * Compares the arguments of two providers: the stored and the new ones of one provider or, for a webhook
 * that moves, those of its old and its new provider. Another base URL replaces the provider and its
 * webhooks, so that Pulumi creates with the new settings and deletes with the old ones.
 *
 * Every other result is `DIFF_UNKNOWN`. Pulumi then compares by itself, as if this were not implemented.
 */
export function compareProviders(request: DiffRequest): ProviderComparison {
  const response = new DiffResponse();
  const change = baseUrlChange(request.getName(), request.getOldInputs(), request.getNews());
  // The old provider reads the same environment, and would send the new key to the old address.
  const needsEnvironment = (["baseUrl", "apiKey"] as const).some((setting) =>
    change?.fromEnvironment.includes(setting),
  );
  if (change === undefined || needsEnvironment) {
    return { response };
  }
  response.setChanges(DiffResponse.DiffChanges.DIFF_SOME);
  response.setReplacesList(["baseUrl"]);
  response.setDiffsList(["baseUrl"]);
  const { from, to } = change;
  const name = shownValue(request.getName());
  return {
    response,
    warning: `Webhooks of the provider ${name} move from ${from} to ${to}: Pulumi replaces them, and their secrets change. It deletes the old ones at ${from} with the old key.`,
    advice: `The base URL of the provider ${name} changes from ${from} to ${to}. If ${to} is a new address of the same service, set its formerBaseUrls to ${from}: then no webhook is replaced.`,
  };
}

interface BaseUrlChange {
  readonly from: string;
  readonly to: string;
  /** The settings that the old arguments leave to the environment. */
  readonly fromEnvironment: readonly SettingName[];
}

/**
 * Returns the change from one base URL to that of another service, fit to be shown; `undefined` without
 * one, and also if a setting is invalid or not known yet.
 */
function baseUrlChange(
  name: string,
  olds: Struct | undefined,
  news: Struct | undefined,
): BaseUrlChange | undefined {
  const [old, next] = [olds, news].map(
    (args) => readConfig(sourceOf(name, propertiesOf(args))).settings,
  );
  const isSameService =
    old && [next?.baseUrl, ...(next?.formerBaseUrls ?? [])].includes(old.baseUrl);
  return old === undefined || next === undefined || isSameService
    ? undefined
    : {
        from: shownValue(old.baseUrl),
        to: shownValue(next.baseUrl),
        fromEnvironment: old.fromEnvironment,
      };
}

/** Returns the source of a provider's settings: its arguments, or the stack's configuration. */
export function configSourceOf(request: ConfigureRequest): ConfigSource {
  return sourceOf(request.getName() ?? "", propertiesOf(request.getArgs()));
}

function sourceOf(name: string, args: Properties): ConfigSource {
  const settings = withUnwrappedSecrets(args);
  return {
    get: (setting) => textOf(settings[setting]),
    isExplicit: () => !isDefault(name),
    environment: process.env,
  };
}

/** Whether a name is that of a default provider. Older versions of Pulumi send no name. */
function isDefault(name: string): boolean {
  return name === "" || isDefaultProviderName(name);
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}
