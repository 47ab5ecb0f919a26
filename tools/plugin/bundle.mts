import { chmodSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "rolldown";
import { schema, schemaSource } from "./schema.mts";

// What grpc-js and undici load on first use, for channelz, orca, bodies that are forms or blobs, and an
// experimental parser: the plugin uses none of them.
const neverLoaded = [
  /^@grpc\/proto-loader$/,
  /[\\/]undici[\\/]lib[\\/]web[\\/]/,
  /[\\/]undici[\\/]lib[\\/]milo[\\/]/,
];

// One character beyond Latin-1 doubles what V8 has to read of the file at each start.
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

const wholeSchema: Plugin = {
  name: "whole-schema",
  load: (id) =>
    id === schemaSource ? { code: JSON.stringify(schema), moduleType: "json" } : undefined,
};

/**
 * Bundles a plugin into one executable file that needs nothing but Node.js.
 *
 * @param input The source, from the root of the repository.
 * @returns the modules that it holds.
 */
export async function bundlePlugin(input: string, file: string): Promise<string[]> {
  const { output } = await build({
    cwd: join(import.meta.dirname, "../.."),
    platform: "node",
    input,
    external: neverLoaded,
    plugins: [wholeSchema, ascii],
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
