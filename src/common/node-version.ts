import { engines } from "../../package.json";

/** Says what is wrong with a version of Node.js that is older than `engines` in package.json allows. */
export function problemOfNodeVersion(version: string): string | undefined {
  const least = engines.node.replace(">=", "");
  return isOlder(numbersOf(version), numbersOf(least))
    ? `pulumi-dbwebhooks needs Node.js ${least} or newer, and this is ${version}.`
    : undefined;
}

function isOlder([major = 0, minor = 0]: number[], [leastMajor = 0, leastMinor = 0]: number[]) {
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

function numbersOf(version: string): number[] {
  return version.replace("v", "").split(".").map(Number);
}
