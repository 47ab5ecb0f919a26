import { providerText, startDynamicProvider } from "./provider-process.js";
import { shellOf } from "./shell.js";

/** Pulumi's own provider process with the built package in it. */
export const dynamicShell = shellOf({
  name: "the dynamic provider",
  idOf: ({ id }) => String(id),
  providerText,
  startProcess: startDynamicProvider,
  linesOf: (provider) => provider.output().split("\n"),
});
