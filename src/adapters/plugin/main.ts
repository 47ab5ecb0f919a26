#!/usr/bin/env node
// The plugin (what Pulumi calls a native provider), `pulumi-resource-dbwebhooks`: it translates
// between Pulumi's gRPC and the provider.
import "./assert-node-version.js";
import { EngineMonitor, isEngineAddress } from "../../provider/run/engine-monitor.js";
import { EngineLog } from "./engine-log.js";
import { PluginServer } from "./server.js";

void main(process.argv.at(-1));

/** Serves the plugin to the engine at this address until the engine is gone. */
async function main(engineAddress: string | undefined): Promise<void> {
  if (!isEngineAddress(engineAddress)) {
    fail(
      "pulumi-resource-dbwebhooks is started by Pulumi, with the address of its engine as last argument, such as 127.0.0.1:12345.",
    );
    return;
  }
  const log = new EngineLog(engineAddress);
  const engineMonitor = new EngineMonitor(
    engineAddress,
    (line, severity) => log.write("", line, severity),
    () => log.flush(),
  );
  try {
    const ownPort = await new PluginServer(engineMonitor, log).listen();
    // Pulumi reads the port from the first line of stdout, so nothing else may be printed before
    // it.
    process.stdout.write(`${ownPort}\n`);
  } catch (error) {
    fail(`pulumi-resource-dbwebhooks cannot listen on 127.0.0.1: ${(error as Error).message}`);
    return;
  }
  engineMonitor.watch();
}

function fail(line: string): void {
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}
