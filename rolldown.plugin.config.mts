import { defineConfig } from "rolldown";

/** The native plugin: one file with all that it needs, but for Node. */
export default defineConfig({
  platform: "node",
  input: "src/plugin/main.ts",
  transform: { target: "es2022" },
  output: {
    file: "dist-plugin/pulumi-resource-dbwebhooks",
    format: "cjs",
    codeSplitting: false,
    comments: false,
    minify: { mangle: { keepNames: { class: true, function: false } } },
  },
});
