import { engines } from "../../package.json";

/** The oldest version of Node.js on which this package runs, from `engines` in package.json. */
const minimumVersion = engines.node.replace(">=", "");

/**
 * Describes the problem with a version of Node.js that is too old.
 *
 * @param program What needs a newer version.
 */
export function validateNodeVersion(program: string, version: string): string | undefined {
  const [major = 0, minor = 0] = numbersOf(version);
  const [minimumMajor = 0, minimumMinor = 0] = numbersOf(minimumVersion);
  return major > minimumMajor || (major === minimumMajor && minor >= minimumMinor)
    ? undefined
    : `${program} needs Node.js ${minimumVersion} or newer, and this is ${version}.`;
}

function numbersOf(version: string): number[] {
  return version.replace("v", "").split(".").map(Number);
}
