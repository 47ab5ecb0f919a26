import { assertNodeVersion } from "../../common/node-version.js";

// `main.ts` imports this file first, because other modules fail to load on an old Node.js with an
// error that does not name the cause.
try {
  assertNodeVersion("pulumi-resource-dbwebhooks");
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
