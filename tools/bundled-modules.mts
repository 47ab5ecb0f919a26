import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "rolldown";

// undici loads these parts for bodies that are forms or streams, and for its experimental parser.
// grpc-js loads the package for channelz and orca. This package uses none of them.
const unusedModules = /[\\/]undici[\\/]lib[\\/](web|milo)[\\/]|[\\/]@grpc[\\/]proto-loader[\\/]/;

/**
 * Bundles the parts of undici that this package uses, wherever the source imports "undici", and
 * puts an empty module in the place of each file that it never uses: by its path, a bundle could
 * load one from outside of the package, where anybody may have put it.
 */
export const usedParts: Plugin = {
  name: "used-parts",
  resolveId: (id) => (id === "undici" ? join(import.meta.dirname, "undici-parts.cjs") : undefined),
  load: (id) => (isReplaced(id) ? "module.exports = {};" : undefined),
};

/** Whether a bundle contains an empty module in the place of this one. */
export function isReplaced(id: string): boolean {
  return unusedModules.test(id);
}

/** Fails if a bundle loads what neither it nor Node.js nor the user's Pulumi SDK holds. */
export const onlyOwnModules: Plugin = {
  name: "only-own-modules",
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle)) {
      const code = chunk.type === "chunk" ? chunk.code : "";
      const loaded = [...code.matchAll(/\b(?:require|import)\((["'`])([^"'`]+)\1\)/g)];
      const isChunk = (name: string) => join(dirname(chunk.fileName), name) in bundle;
      const foreign = loaded
        .map(([, , name = ""]) => name)
        .filter((name) => !(isChunk(name) || isBuiltin(name) || isOfProject(name)));
      if (foreign.length > 0) {
        throw new Error(`${chunk.fileName} loads ${foreign.join(", ")}, which it does not hold.`);
      }
    }
  },
};

/** Whether the user's project has the module: Pulumi's SDK, or this package for Pulumi's host. */
function isOfProject(name: string): boolean {
  return name.startsWith("@pulumi/pulumi") || name === "pulumi-dbwebhooks/provider";
}
