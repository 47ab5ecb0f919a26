import { readFileSync } from "node:fs";
import { defineConfig } from "rolldown";

const licence = readFileSync(new URL("node_modules/zod/LICENSE", import.meta.url), "utf8");

// Loading zod as it is installed takes longer than the rest of what Pulumi's provider process loads
// to check and to compare, most of it for messages in other languages. So the one module that uses
// zod there takes along what it needs of it.
export default defineConfig({
  input: "src/schema.ts",
  platform: "node",
  external: (id, importer) => id.startsWith(".") && importer?.includes("node_modules") === false,
  output: {
    file: "dist/schema.js",
    format: "cjs",
    strict: true,
    esModule: true,
    banner: `/*!\nHolds parts of zod.\n\n${licence}*/`,
  },
});
