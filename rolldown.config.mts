import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { defineConfig } from "rolldown";
import { dts } from "rolldown-plugin-dts";

const entries = {
  index: "src/index.ts",
  provider: "src/adapters/dynamic.ts",
  native: "src/native.ts",
  "local-service/index": "src/local-service/index.ts",
  "cli/main": "src/cli/main.ts",
};
// Loading zod as it is installed takes longer than all else that Pulumi's provider process loads to
// check and to compare, most of it for messages in other languages: what is used of it is taken in.
const isTakenIn = (id: string) => /^([./]|zod\/)/.test(id);
const zodLicence = readFileSync(new URL("node_modules/zod/LICENSE", import.meta.url), "utf8");

// On a slow machine the time of the plugin for types would be reported to everybody who builds.
const checks = { bundlerTimings: false };

const types = (names: readonly (keyof typeof entries)[], { removeComments = false } = {}) =>
  defineConfig({
    platform: "node",
    external: /^[^./]/,
    input: Object.fromEntries(names.map((name) => [basename(name), entries[name]])),
    checks,
    plugins: [dts({ emitDtsOnly: true, newContext: true, compilerOptions: { removeComments } })],
    output: {
      dir: join("dist", dirname(names[0] ?? "")),
      chunkFileNames: "[name].ts",
      // The plugin names an entry after its source file.
      entryFileNames: ({ name }) => `${name === "dynamic.d" ? "provider.d" : name}.ts`,
    },
  });

const minify = { mangle: { keepNames: { class: true, function: false } } };

// Everybody who deploys downloads the local service and the commands too: minified, they are small.
export default [
  defineConfig({
    platform: "node",
    external: (id) => !isTakenIn(id),
    input: entries,
    transform: { target: "es2023" },
    output: {
      dir: "dist",
      format: "cjs",
      chunkFileNames: "[name].js",
      codeSplitting: {
        groups: [
          { name: "zod", test: /[\\/]node_modules[\\/]zod[\\/]/ },
          { name: "common", test: /[\\/]src[\\/]common[\\/]|[\\/]package\.json$/ },
        ],
      },
      comments: false,
      postBanner: ({ moduleIds }) =>
        moduleIds.some((id) => id.includes("/zod/"))
          ? `/*!\nHolds parts of zod.\n\n${zodLicence}*/`
          : "",
      externalLiveBindings: false,
      minify,
    },
  }),
  // They share the arguments.
  types(["index", "native"]),
  types(["provider"], { removeComments: true }),
  types(["local-service/index"], { removeComments: true }),
];
