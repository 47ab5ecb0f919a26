import { join } from "node:path";
import type { Plugin } from "rolldown";

// undici loads these parts for bodies that are forms or streams, and for its experimental parser.
// This package uses none of them.
const unusedParts = /[\\/]undici[\\/]lib[\\/](web|milo)[\\/]/;

/** Bundles the parts of undici that this package uses, wherever the source imports "undici". */
export const undiciParts: Plugin = {
  name: "undici-parts",
  resolveId: {
    order: "pre",
    async handler(id, importer) {
      if (id === "undici") {
        return join(import.meta.dirname, "undici-parts.cjs");
      }
      if (importer === undefined || !/[\\/]undici[\\/]/.test(importer)) {
        return undefined;
      }
      const resolved = await this.resolve(id, importer, { skipSelf: true });
      return resolved && unusedParts.test(resolved.id)
        ? { id: resolved.id, external: true }
        : resolved;
    },
  },
};
