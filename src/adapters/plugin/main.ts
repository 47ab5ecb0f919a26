#!/usr/bin/env node
// The plugin (what Pulumi calls a native provider), `pulumi-resource-dbwebhooks`: it translates
// between Pulumi's gRPC and the provider.
import "./assert-node-version.js";
import { EngineMonitor } from "../../provider/command/engine-monitor.js";
import { isEngineAddress } from "../../provider/command/engine-probe.js";
import { interruptedText } from "../../provider/messages/interruption.js";
import { startedByHandText } from "../../provider/messages/plugin-errors.js";
import { EngineLog } from "./engine-log.js";
import { PluginServer } from "./server.js";

void main(process.argv.at(-1));

/** Serves the plugin to the engine at this address until the engine is gone. */
async function main(engineAddress: string | undefined): Promise<void> {
  if (!isEngineAddress(engineAddress)) {
    process.stderr.write(`${startedByHandText}\n`);
    process.exitCode = 1;
    return;
  }
  const log = new EngineLog(engineAddress);
  const engineMonitor = new EngineMonitor(
    engineAddress,
    () => log.write("", interruptedText, "warning"),
    () => log.flush(),
  );
  const ownPort = await new PluginServer(engineMonitor, log).listen();
  // Pulumi reads the port from the first line of stdout, so nothing else may be printed before it.
  process.stdout.write(`${ownPort}\n`);
  engineMonitor.watch();
}
