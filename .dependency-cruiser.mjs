// What may import what in `src`: `npm run check` prints the sentence of each rule that is broken. What
// imports do not show, cycles and the global `process`, is in biome.json.

/** The parts of `src`: the path of each, and the other parts that it may import. */
const parts = {
  common: { path: "common/", imports: [] },
  service: { path: "service/", imports: ["common"] },
  core: { path: "core/", imports: ["common", "service"] },
  // The arguments of both kinds of webhooks, as types.
  program: { path: "program/", imports: ["common"] },
  // What programs load: no HTTP library, no validation, no rules.
  dynamic: {
    path: "(index\\.ts$|dynamic/(?!provider\\.ts$))",
    imports: ["common"],
    importsTypes: ["program"],
  },
  native: { path: "native/", imports: ["common"], importsTypes: ["program"] },
  // What Pulumi's provider process loads.
  "dynamic/provider": {
    path: "dynamic/provider\\.ts$",
    imports: ["common", "service", "core", "dynamic"],
  },
  plugin: { path: "plugin/", imports: ["common", "service", "core"] },
  "local-service": { path: "local-service/", imports: ["common"] },
  cli: {
    path: "cli/",
    imports: [
      "common",
      "service",
      "core",
      "dynamic",
      "dynamic/provider",
      "native",
      "local-service",
    ],
  },
};

/** The packages that only some files may import, types included. */
const packages = [
  {
    name: "pulumi-sdk",
    sentence: "Only the shells (dynamic, native, plugin) and program import @pulumi/pulumi.",
    path: "@pulumi",
    importers: "(dynamic|native|plugin|program)/",
  },
  {
    name: "undici",
    sentence: "Only service/http, local-service/deliveries and cli/emit import undici.",
    path: "undici",
    importers: "(service/(http|undici-parts)|local-service/deliveries/|cli/emit)",
  },
  {
    name: "zod",
    sentence: "Only service, core, local-service and cli import zod.",
    path: "zod",
    importers: "(service|core|local-service|cli)/",
  },
  {
    name: "process",
    sentence: "Only core/engine, the shells, local-service and cli import the process.",
    path: "process",
    importers: "(core/engine|(dynamic|plugin|native|local-service|cli)/)",
  },
  {
    name: "own-name",
    sentence: "Inside the package, import the file, not pulumi-dbwebhooks.",
    path: "(pulumi-dbwebhooks|dist)",
    importers: "$",
  },
];

const pathOf = (...names) => `^src/(${names.map((name) => parts[name].path).join("|")})`;
const listOf = (...names) => new Intl.ListFormat("en").format(names);

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    ...Object.entries(parts).flatMap(([name, { imports, importsTypes = [] }]) => [
      {
        name,
        comment: `In src, ${name} imports only ${listOf("itself", ...imports, ...importsTypes)}.`,
        from: { path: pathOf(name) },
        to: { path: "^src/", pathNot: pathOf(name, ...imports, ...importsTypes) },
      },
      ...importsTypes.map((other) => ({
        name: `${name}-types`,
        comment: `Of ${other}, ${name} imports types alone (import type).`,
        from: { path: pathOf(name) },
        to: { path: pathOf(other), dependencyTypesNot: ["type-only"] },
      })),
    ]),
    {
      name: "no-rule",
      comment: "This part of src has no rule yet: give it one in .dependency-cruiser.mjs.",
      from: { path: "^src/", pathNot: pathOf(...Object.keys(parts)) },
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
