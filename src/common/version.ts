/** The version of this package, from `package.json`. */
export { version } from "../../package.json";
