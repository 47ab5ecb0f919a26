import { isSupportedNodeVersion, leastNodeVersion } from "../common/node-version.js";

// Imported before all else: an older Node.js would fail in one of the modules, without a word on why.
if (!isSupportedNodeVersion(process.versions.node)) {
  process.stderr.write(
    `pulumi-resource-dbwebhooks needs Node.js ${leastNodeVersion} or newer on PATH, and this is ${process.versions.node}.\n`,
  );
  process.exit(1);
}
