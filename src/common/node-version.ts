import { engines } from "../../package.json";

/** The oldest version of Node.js on which this package runs, from `engines` in package.json. */
const minimumVersion = engines.node.replace(">=", "");

/**
 * Throws if this process runs on a version of Node.js that is too old, where a later failure would
 * not name the cause.
 *
 * @param program The name for the message.
 */
export function assertNodeVersion(program: string): void {
  const version = process.versions.node;
  const order = version.localeCompare(minimumVersion, "en", { numeric: true });
  if (order < 0) {
    const message = `${program} needs Node.js ${minimumVersion} or newer, and this is ${version}.`;
    // Pulumi prints the stack traces of some errors.
    throw Object.assign(new Error(message), { stack: "" });
  }
}
