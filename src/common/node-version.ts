import { engines } from "../../package.json";

/** The oldest version of Node.js that this package runs on, from `engines` in package.json. */
const leastVersion = engines.node.replace(">=", "");

/**
 * Says that a version of Node.js is too old.
 *
 * @param what What needs a newer one.
 */
export function problemOfNodeVersion(what: string, version: string): string | undefined {
  const [major = 0, minor = 0] = numbersOf(version);
  const [leastMajor = 0, leastMinor = 0] = numbersOf(leastVersion);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
    ? undefined
    : `${what} needs Node.js ${leastVersion} or newer, and this is ${version}.`;
}

function numbersOf(version: string): number[] {
  return version.replace("v", "").split(".").map(Number);
}
