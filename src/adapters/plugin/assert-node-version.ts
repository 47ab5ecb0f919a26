import { assertNodeVersion } from "../../common/node-version.js";

// `main.ts` imports this file first: on an old Node.js, one of the other modules would fail to load
// without naming the cause.
try {
  assertNodeVersion("pulumi-resource-dbwebhooks", process.versions.node);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
