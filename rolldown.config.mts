import { basename, dirname, join } from "node:path";
import { defineConfig } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { onlyOwnModules, usedParts } from "./tools/bundled-modules.mts";
import { licencesOf } from "./tools/licences.mts";
import { sbom } from "./tools/sbom.mts";

const entries = {
  index: "src/index.ts",
  provider: "src/adapters/dynamic.ts",
  native: "src/native.ts",
  "local-service/index": "src/local-service/index.ts",
  "cli/main": "src/cli/main.ts",
};
// The build bundles all other packages, so that installing this one brings nothing along. The parts
// in use also load faster than the complete packages: zod has its messages in other languages,
// undici has fetch, caches and mocks.
const isExternal = (id: string) => id.startsWith("@pulumi/");

// Otherwise, a build on a slow machine prints how long the plugin for types takes.
const checks = { bundlerTimings: false };

const types = (names: readonly (keyof typeof entries)[], compilerOptions: object = {}) =>
  defineConfig({
    platform: "node",
    external: /^[^./]/,
    input: Object.fromEntries(names.map((name) => [basename(name), entries[name]])),
    checks,
    plugins: [dts({ emitDtsOnly: true, newContext: true, compilerOptions })],
    output: {
      dir: join("dist", dirname(names[0] ?? "")),
      // TypeScript 6 loads the types of globals of Node.js, such as AsyncDisposable, only where
      // something names them.
      postBanner: '/// <reference types="node" />',
      chunkFileNames: "[name].ts",
      // The plugin names an entry after its source file.
      entryFileNames: ({ name }) => `${name === "dynamic.d" ? "provider.d" : name}.ts`,
    },
  });

export default [
  defineConfig({
    platform: "node",
    external: isExternal,
    plugins: [usedParts, onlyOwnModules, sbom],
    input: entries,
    transform: { target: "es2023" },
    output: {
      dir: "dist",
      format: "cjs",
      chunkFileNames: "[name].js",
      codeSplitting: {
        groups: [
          { name: "zod", test: /[\\/]node_modules[\\/]zod[\\/]/ },
          { name: "undici", test: /[\\/](node_modules[\\/]undici[\\/]|undici-parts\.cjs$)/ },
          { name: "common", test: /[\\/]src[\\/]common[\\/]|[\\/]package\.json$/ },
        ],
      },
      comments: false,
      postBanner: ({ moduleIds }) => {
        const licences = licencesOf(moduleIds);
        return licences === "" ? "" : `/*!\nContains parts of these packages.\n\n${licences}*/`;
      },
      externalLiveBindings: false,
    },
  }),
  // These two share the types of the arguments.
  types(["index", "native"]),
  types(["provider"], { removeComments: true }),
  // Internal members have types that are no concern of a user.
  types(["local-service/index"], { stripInternal: true }),
];
