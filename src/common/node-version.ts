import { engines } from "../../package.json";

/** The oldest version of Node.js that this package runs on, from `engines` in package.json. */
export const leastNodeVersion: string = engines.node.replace(">=", "");

/** Whether this package runs on a version of Node.js. */
export function isSupportedNodeVersion(version: string): boolean {
  const [major = 0, minor = 0] = numbersOf(version);
  const [leastMajor = 0, leastMinor = 0] = numbersOf(leastNodeVersion);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function numbersOf(version: string): number[] {
  return version.replace("v", "").split(".").map(Number);
}
