import {
  CheckFailure,
  type CheckRequest,
  CheckResponse,
  type ConfigureRequest,
} from "@pulumi/pulumi/proto/provider_pb.js";
import { namespace, problemsOfSettingNames } from "../../common/setting-names.js";
import { version } from "../../common/version.js";
import { type ConfigSource, readConfig } from "../../provider/config.js";
import {
  isUnknown,
  type Properties,
  withUnwrappedSecrets,
  wrapSecret,
} from "../../provider/values.js";
import type { EngineLog } from "./engine-log.js";
import { propertiesOf, structOf } from "./structs.js";

/** Where the settings of a provider come from: its arguments, or the stack's configuration. */
export function configSourceOf(request: ConfigureRequest): ConfigSource {
  return sourceOf(request.getName() ?? "", propertiesOf(request.getArgs()));
}

/**
 * Checks a provider before anything uses it. Of an explicit provider all problems are failures, once
 * its arguments are known; of the default one, webhooks report them, and only names are looked at here.
 */
export async function checkProvider(request: CheckRequest, log: EngineLog): Promise<CheckResponse> {
  const response = new CheckResponse();
  const args = propertiesOf(request.getNews());
  // Encrypted in the state, also where the configuration holds it in plain text.
  const apiKey = isUnknown(args.apiKey) ? args.apiKey : wrapSecret(args.apiKey);
  response.setInputs(structOf({ ...args, apiKey }));
  const unknownNames = problemsOfSettingNames(
    Object.keys(args).filter((name) => !ownNames.includes(name)),
  );
  if (typeof args.version === "string" && args.version !== version) {
    response.addFailures(
      new CheckFailure().setReason(
        `the program asks for version ${args.version.slice(0, 100)} of the plugin, and this is ${version}; use the same version of pulumi-dbwebhooks for both, and run "pulumi package add" again where the program uses an SDK`,
      ),
    );
  }
  if (isDefault(request.getName())) {
    for (const problem of unknownNames) {
      log.write("", `Stack configuration ${namespace}:${problem}`, "warning");
    }
    await log.flush();
    return response;
  }
  const problems = isUnknown(args) ? [] : readConfig(sourceOf(request.getName(), args)).problems;
  for (const reason of [...unknownNames, ...problems]) {
    response.addFailures(new CheckFailure().setReason(reason));
  }
  return response;
}

// What Pulumi itself puts beside the settings.
const ownNames = ["version", "pluginDownloadURL", "pluginChecksums", "__internal"];

function sourceOf(name: string, args: Properties): ConfigSource {
  const settings = withUnwrappedSecrets(args);
  return {
    get: (setting) => textOf(settings[setting]),
    isExplicit: () => !isDefault(name),
    environment: process.env,
  };
}

/**
 * Pulumi names default providers `default`, with the version and the address of the plugin behind it.
 *
 * Source: `ProviderRequest.DefaultName` in `pkg/resource/deploy/providers/provider.go` of pulumi/pulumi.
 */
function isDefault(name: string): boolean {
  return name === "" || /^default($|_\d+_\d+_\d+|_\w+_\/)/.test(name);
}

function textOf(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}
