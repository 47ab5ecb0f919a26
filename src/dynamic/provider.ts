export { check, configure, create, delete, diff, read, update } from "../core/provider.js";
