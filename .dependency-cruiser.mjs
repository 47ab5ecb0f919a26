// What may import what in `src`: `npm run check` prints the sentence of each rule that is broken.
// The rules about the global `process` and about cycles are in biome.json.

/** The folders of `src`: the path of each, and the other folders that it may import. */
const folders = {
  common: { path: "common/", imports: [] },
  api: { path: "api/", imports: ["common"] },
  // The four floors of the provider.
  "provider/rules": { path: "provider/rules/", imports: ["common", "api"] },
  "provider/command": { path: "provider/command/", imports: ["provider/rules", "common", "api"] },
  "provider/messages": {
    path: "provider/messages/",
    imports: ["provider/command", "provider/rules", "common", "api"],
  },
  provider: {
    path: "provider/[\\w-]+\\.ts$",
    imports: ["provider/messages", "provider/command", "provider/rules", "common", "api"],
  },
  // Programs load these two: no HTTP library, no validation, no rules.
  "sdk/dynamic": { path: "(index\\.ts$|sdk/([\\w-]+\\.ts$|dynamic/))", imports: ["common"] },
  "sdk/plugin": { path: "(native\\.ts$|sdk/([\\w-]+\\.ts$|plugin/))", imports: ["common"] },
  "adapters/dynamic": {
    path: "adapters/dynamic\\.ts$",
    imports: ["common", "provider", "provider/messages", "provider/command", "provider/rules"],
  },
  "adapters/plugin": {
    path: "adapters/plugin/",
    imports: ["common", "provider", "provider/messages", "provider/command", "provider/rules"],
  },
  "local-service": { path: "local-service/", imports: ["common"] },
  cli: { path: "cli/[\\w-]+\\.ts$", imports: ["common", "local-service", "cli/webhooks"] },
  // The commands that need the client of the API, which serve does not load.
  "cli/webhooks": {
    path: "cli/webhooks/",
    imports: ["common", "api", "provider/messages", "provider/command", "provider/rules"],
  },
};

/** The packages that only some files may import, types included. */
const packages = [
  {
    name: "pulumi-sdk",
    sentence: "Only sdk and adapters import @pulumi/pulumi.",
    path: "@pulumi",
    importers: "(sdk|adapters)/",
  },
  {
    name: "undici",
    sentence: "Only api/connection-pools, api/send-once, and local-service import undici.",
    path: "undici",
    importers: "(api/(connection-pools|send-once)|local-service/)",
  },
  {
    name: "zod",
    sentence: "Only api and local-service import zod.",
    path: "zod",
    importers: "(api|local-service)/",
  },
  {
    name: "hono",
    sentence: "Only local-service imports hono and its server adapter.",
    path: "(@hono|hono)",
    importers: "local-service/",
  },
  {
    name: "own-name",
    sentence: "Inside the package, import the file, not pulumi-dbwebhooks.",
    path: "(pulumi-dbwebhooks|dist)",
    importers: "$",
  },
];

const pathOf = (...names) => `^src/(${names.map((name) => folders[name].path).join("|")})`;
const listOf = (...names) => new Intl.ListFormat("en").format(names);

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    ...Object.entries(folders).map(([name, { imports }]) => ({
      name,
      comment: `In src, ${name} imports only ${listOf("itself", ...imports)}.`,
      from: { path: pathOf(name) },
      to: { path: "^src/", pathNot: pathOf(name, ...imports) },
    })),
    {
      name: "no-rule",
      comment: "This folder of src has no rule yet: give it one in .dependency-cruiser.mjs.",
      from: { path: "^src/", pathNot: pathOf(...Object.keys(folders)) },
      to: {},
    },
    ...packages.map(({ name, sentence, path, importers }) => ({
      name,
      comment: sentence,
      from: { path: "^src/", pathNot: `^src/${importers}` },
      to: { path: `^(node_modules/)?${path}(/|$)` },
    })),
  ].map((rule) => ({ ...rule, severity: "error" })),
  options: {
    doNotFollow: { path: "^(node_modules|dist)/" },
    tsPreCompilationDeps: true,
  },
};
