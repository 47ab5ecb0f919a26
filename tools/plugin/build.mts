/**
 * `npm run build:plugin`: writes the native plugin to `dist-plugin`, as one file that needs nothing
 * but Node.js, with its schema, a wrapper for Windows and the licences of what is bundled.
 */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "rolldown";
import { licencesOf } from "./licences.mts";

const root = join(import.meta.dirname, "../..");
const directory = join(root, "dist-plugin");
const name = "pulumi-resource-dbwebhooks";

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

rmSync(directory, { recursive: true, force: true });
mkdirSync(directory);
const { output } = await build({
  cwd: root,
  platform: "node",
  input: "src/plugin/main.ts",
  external: neverLoaded,
  plugins: [ascii],
  transform: { target: "es2022" },
  output: {
    file: join(directory, name),
    format: "cjs",
    codeSplitting: false,
    comments: false,
    minify: { mangle: { keepNames: { class: true, function: false } } },
  },
});
chmodSync(join(directory, name), 0o755);
// "%~dp0" is the directory of the wrapper, "%*" all arguments as they were given.
writeFileSync(join(directory, `${name}.cmd`), `@echo off\r\nnode "%~dp0${name}" %*\r\n`);
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const schema = JSON.parse(readFileSync(join(root, "src/plugin/schema.json"), "utf8"));
writeFileSync(
  join(directory, "schema.json"),
  `${JSON.stringify({ ...schema, version }, undefined, 2)}\n`,
);
// Whatever the project says that the plugin lies in.
writeFileSync(join(directory, "package.json"), `{ "type": "commonjs" }\n`);
copyFileSync(join(root, "LICENSE"), join(directory, "LICENSE"));
const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
writeFileSync(join(directory, "THIRD-PARTY-LICENSES"), licencesOf(modules));
