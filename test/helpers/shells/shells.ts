import { nativeShell } from "./native-shell.js";
import { providerText, startDynamicProvider } from "./provider-process.js";
import { type Shell, shellOf } from "./shell.js";

/** Pulumi's own provider process with the built package in it. */
const dynamicShell = shellOf({
  name: "the dynamic provider",
  idOf: ({ id }) => String(id),
  providerText,
  startProcess: startDynamicProvider,
  linesOf: (provider) => provider.output().split("\n"),
});

/** Every shell, for `describe.each`. */
export const shells: readonly Shell[] = [dynamicShell, nativeShell];
