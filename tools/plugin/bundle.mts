import { chmodSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "rolldown";
import { onlyOwnModules, usedParts } from "../bundled-modules.mts";
import { schema, schemaTemplate } from "./schema.mts";

// A single character beyond Latin-1 doubles the size of the file that V8 reads at each start.
const ascii: Plugin = {
  name: "ascii",
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === "chunk") {
        chunk.code = chunk.code.replace(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
      }
    }
  },
};

// The generated schema replaces its template in the bundle.
const generatedSchema: Plugin = {
  name: "generated-schema",
  load: (id) =>
    id === schemaTemplate ? { code: JSON.stringify(schema), moduleType: "json" } : undefined,
};

/**
 * Bundles the plugin into one executable file that needs only Node.js.
 *
 * @returns The modules that the file contains.
 */
export async function bundlePlugin(file: string): Promise<string[]> {
  const { output } = await build({
    cwd: join(import.meta.dirname, "../.."),
    platform: "node",
    input: "src/adapters/plugin/main.ts",
    plugins: [generatedSchema, usedParts, onlyOwnModules, ascii],
    transform: { target: "es2022" },
    output: {
      file,
      format: "cjs",
      codeSplitting: false,
      comments: false,
      minify: { mangle: { keepNames: { class: true, function: false } } },
    },
  });
  chmodSync(file, 0o755);
  return output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
}
