import { validateNodeVersion } from "../../common/node-version.js";

// `main.ts` imports this file first: on an old Node.js, one of the other modules would fail to load
// without naming the cause.
const problem = validateNodeVersion("pulumi-resource-dbwebhooks", process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
