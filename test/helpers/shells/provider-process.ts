import { join } from "node:path";
import { someArgs } from "../builders.js";
import {
  type Environment,
  type ProviderProcess,
  repository,
  startProvider,
} from "./grpc-provider.js";
import type { Properties } from "./provider-calls.mjs";

const host = join(repository, "node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js");

/** The text that `Webhook` registers; what Pulumi's provider process evaluates. */
export const providerText = 'exports.handler = () => require("pulumi-dbwebhooks/provider")';

/** A webhook's arguments as the engine hands them over, with the text. */
export function webhookInputs(changes: Properties = {}): Properties {
  return { __provider: providerText, ...someArgs({ events: ["record.created"] }), ...changes };
}

/** Runs `use` with Pulumi's real provider process, and stops that afterwards. */
export async function withProviderProcess<Result>(
  config: Readonly<Record<string, string>>,
  use: (provider: ProviderProcess) => Promise<Result>,
  environment?: Environment,
): Promise<Result> {
  await using provider = await startDynamicProvider(config, environment);
  return await use(provider);
}

/** Starts Pulumi's real provider process with the built package in it, and these settings. */
export function startDynamicProvider(
  config: Readonly<Record<string, string>>,
  environment?: Environment,
): Promise<ProviderProcess> {
  const type = "pulumi-nodejs:dynamic/dbwebhooks:Webhook";
  return startProvider([process.execPath, host], type, config, environment);
}
