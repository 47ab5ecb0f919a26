import { dynamicShell } from "./dynamic-shell.js";
import { nativeShell } from "./native-shell.js";
import type { Shell } from "./shell.js";

/** Every shell, for `describe.each`. */
export const shells: readonly Shell[] = [dynamicShell, nativeShell];
