import { basename, dirname, join } from "node:path";
import { defineConfig } from "rolldown";
import { dts } from "rolldown-plugin-dts";

const entries = ["index", "provider", "local-service/index", "cli/main"];
const isElsewhere = (id: string) => !/^[./]/.test(id) || id.endsWith("/package.json");
const shared = { platform: "node", external: isElsewhere } as const;

const types = (entry: string, { removeComments = false } = {}) =>
  defineConfig({
    ...shared,
    input: { [basename(entry)]: `src/${entry}.ts` },
    plugins: [dts({ emitDtsOnly: true, newContext: true, compilerOptions: { removeComments } })],
    output: { dir: join("dist", dirname(entry)) },
  });

// Everybody who deploys downloads the local service and the commands too: minified, they are small.
export default [
  defineConfig({
    ...shared,
    input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
    transform: { target: "es2023" },
    output: {
      dir: "dist",
      format: "cjs",
      chunkFileNames: "[name].js",
      comments: false,
      externalLiveBindings: false,
      minify: { mangle: { keepNames: { class: true, function: false } } },
    },
  }),
  types("index"),
  types("provider", { removeComments: true }),
  types("local-service/index", { removeComments: true }),
];
