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
  validateEnvironmentNames,
  validateSettingNames,
} from "../../common/setting-names.js";
import { version } from "../../common/version.js";
import { compareBaseUrls } from "../../provider/base-url-change.js";
import { type ConfigSource, readConfig } from "../../provider/config.js";
import { baseUrlRefusedText, providerReplacedText } from "../../provider/messages/replacement.js";
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
export async function checkConfig(request: CheckRequest, log: EngineLog): Promise<CheckResponse> {
  const response = new CheckResponse();
  const args = propertiesOf(request.getNews());
  // Pulumi passes a secret key and a key in plain text in the same way, so no warning can tell them apart. The key is
  // wrapped, so that Pulumi encrypts it in the state in both cases.
  const apiKey = isUnknown(args.apiKey) ? args.apiKey : wrapSecret(args.apiKey);
  response.setInputs(structOf({ ...args, apiKey }));
  const unknownNames = validateSettingNames(
    Object.keys(args).filter((name) => !pulumiNames.includes(name)),
  );
  const failures: string[] = [];
  if (typeof args.version === "string" && args.version !== version) {
    failures.push(
      `the program asks for version ${shownValue(args.version)} of the plugin, and this is ${version}; use the same version of pulumi-dbwebhooks for both, and run "pulumi package add" again where the program uses an SDK`,
    );
  }
  const warnings = validateEnvironmentNames(Object.keys(process.env));
  if (isDefault(request.getName())) {
    warnings.push(...unknownNames.map((text) => `Stack configuration ${namespace}:${text}`));
  } else {
    // The comparison of each webhook decides for the default provider: it may have no webhook, and after a refused
    // update its stored arguments are not those with which the webhooks were created.
    const change = baseUrlChange(request.getName(), request.getOlds(), request.getNews());
    if (change !== undefined && change.kind !== "replacement") {
      failures.push(baseUrlRefusedText(change));
    }
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
 * Compares the arguments of two providers: the stored and the new ones of one provider or, for a webhook
 * that moves, those of its old and its new provider. Another base URL replaces the provider and its
 * webhooks, so that Pulumi creates with the new settings and deletes with the old ones.
 *
 * Every other result is `DIFF_UNKNOWN`. Pulumi then compares by itself, as if this were not implemented.
 */
export function diffConfig(request: DiffRequest): {
  readonly response: DiffResponse;
  readonly warning?: string;
} {
  const response = new DiffResponse();
  const change = baseUrlChange(request.getName(), request.getOldInputs(), request.getNews());
  if (change?.kind !== "replacement") {
    return { response };
  }
  response.setChanges(DiffResponse.DiffChanges.DIFF_SOME);
  response.setReplacesList(["baseUrl"]);
  response.setDiffsList(["baseUrl"]);
  return { response, warning: providerReplacedText(shownValue(request.getName()), change) };
}

/** Returns `undefined` for a new provider, which has no old arguments. */
function baseUrlChange(name: string, olds: Struct | undefined, news: Struct | undefined) {
  const oldArgs = propertiesOf(olds);
  return Object.keys(oldArgs).length === 0
    ? undefined
    : compareBaseUrls(sourceOf(name, oldArgs), sourceOf(name, propertiesOf(news)));
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
