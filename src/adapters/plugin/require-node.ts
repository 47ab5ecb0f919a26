import { problemOfNodeVersion } from "../../common/node-version.js";

// Imported before all else: an older Node.js would fail in one of the modules, without a word on why.
const problem = problemOfNodeVersion("pulumi-resource-dbwebhooks", process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
