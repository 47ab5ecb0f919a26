import { version } from "../../package.json";

/** The version of this package, as `package.json` has it when the package is built. */
export { version };
