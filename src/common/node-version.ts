import { engines } from "../../package.json";

/** The oldest version of Node.js that this package runs on, from `engines` in package.json. */
const minimumVersion = engines.node.replace(">=", "");

/**
 * Says that a version of Node.js is too old.
 *
 * @param what What needs a newer one.
 */
export function problemOfNodeVersion(what: string, version: string): string | undefined {
  const [major = 0, minor = 0] = numbersOf(version);
  const [minimumMajor = 0, minimumMinor = 0] = numbersOf(minimumVersion);
  return major > minimumMajor || (major === minimumMajor && minor >= minimumMinor)
    ? undefined
    : `${what} needs Node.js ${minimumVersion} or newer, and this is ${version}.`;
}

function numbersOf(version: string): number[] {
  return version.replace("v", "").split(".").map(Number);
}
