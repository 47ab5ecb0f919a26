import { cp, mkdir, symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "rolldown";
import { extract } from "tar";
import { describe, expect, it } from "vitest";
import packageJson from "../../package.json";
import packageLock from "../../package-lock.json";
import { usedParts } from "../../tools/bundled-modules.mts";
import { someArgs } from "../helpers/builders.ts";
import { succeed } from "../helpers/commands.ts";
import { repository, withDirectory, writeFiles } from "../helpers/directory.ts";
import { anchorsOf, linksOf, readPage } from "../helpers/markdown.ts";
import { packInto } from "../helpers/package.ts";

/** Returns the files that `npm pack` would pack from a directory. */
async function packedFrom(directory: string): Promise<readonly { path: string; mode: number }[]> {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  return JSON.parse((await succeed("npm", args, { directory })).stdout)[0].files;
}

/**
 * A program that loads each entry, and uses what is bundled in it: creates a webhook and notifies
 * its receiver.
 */
const programOfAllEntries = `
  require("pulumi-dbwebhooks");
  require("pulumi-dbwebhooks/native");
  const provider = require("pulumi-dbwebhooks/provider");
  const { startLocalService } = require("pulumi-dbwebhooks/local-service");
  const receiver = require("node:http").createServer((_, response) => response.writeHead(204).end());
  receiver.listen(0, "127.0.0.1", async () => {
    const deliverTo = "http://127.0.0.1:" + receiver.address().port;
    const service = await startLocalService({ deliverTo });
    process.env.DBWEBHOOKS_BASE_URL = service.baseUrl;
    process.env.DBWEBHOOKS_API_KEY = service.apiKey;
    const args = ${JSON.stringify(someArgs())};
    const { failures } = await provider.check({}, { ...args, databaseID: "unknown" });
    await provider.create((await provider.check({}, args)).inputs);
    const { databaseId, events: [type] } = args;
    const { deliveries } = await service.emit({ databaseId, type });
    console.log(JSON.stringify({ failures: failures.length, deliveries }));
    await service.close();
    receiver.closeAllConnections();
    receiver.close();
  });
`;

/** A component of a CycloneDX document. */
interface Component {
  readonly purl: string;
  readonly licenses: readonly [{ license?: { id: string }; expression?: string }];
}

/** Returns the code of the plugin with the comments that the build takes away. */
async function plainPlugin(): Promise<string> {
  const { output } = await build({
    cwd: repository,
    platform: "node",
    input: "src/adapters/plugin/main.ts",
    plugins: [usedParts],
    write: false,
    output: { format: "cjs", comments: false },
  });
  return output.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("\n");
}

/**
 * Returns the paths of the packages that code contains, by the comment that the bundler writes
 * above each module. An empty module in the place of another one does not count.
 */
function packagesIn(code: string): string[] {
  const module =
    /^\/\/ (.*\bnode_modules\/(?:@[^/]+\/)?[^/\n]+)\/.*\n(?!.*\n\tmodule\.exports = {};\n)/gm;
  return [...new Set([...code.matchAll(module)].map(([, path = ""]) => path))];
}

describe("The packed package", async () => {
  const files = await packedFrom(repository);
  const paths = files.map(({ path }) => path);
  const codePaths = paths.filter((path) => path.startsWith("dist/") && path.endsWith(".js"));

  it("has what its pages link to, such as documents and examples", () => {
    const links = paths.filter((path) => path.endsWith(".md")).flatMap(linksOf);

    const isPacked = (target: string) => paths.some((path) => `${path}/`.startsWith(`${target}/`));
    const missing = links.map(({ target }) => target).filter((target) => !isPacked(target));
    expect(missing).toEqual([]);
  });

  it("has the entry points, their types, the plugin for all systems, and no pages for contributors", () => {
    const isChunk = /^dist\/(?!index|native|provider)[a-z-]+\.js$/;
    const isDocument = /^(docs\/(?!contributing\/)|examples\/)/;

    const others = paths.filter((path) => !isChunk.test(path) && !isDocument.test(path));
    expect(others.toSorted()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "dist/cli/main.js",
      "dist/index.d.ts",
      "dist/index.js",
      "dist/local-service/index.d.ts",
      "dist/local-service/index.js",
      "dist/native.d.ts",
      "dist/native.js",
      "dist/provider.d.ts",
      "dist/provider.js",
      "dist/resource-base.d.ts",
      "dist/sbom.cdx.json",
      "package.json",
      "plugin/LICENSE",
      "plugin/THIRD-PARTY-LICENSES",
      "plugin/package.json",
      "plugin/pulumi-resource-dbwebhooks",
      "plugin/pulumi-resource-dbwebhooks.cmd",
      "plugin/sbom.cdx.json",
      "plugin/schema.json",
      "plugin/troubleshooting.md",
    ]);
  });

  it("has a copy of the page that messages name, whose links lead to it or to the web", () => {
    const page = readPage("plugin/troubleshooting.md");
    const targets = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
    const inPage = targets.filter((target) => !target.startsWith("https://"));

    expect(page).toContain("\n## inDoubt\n");
    expect(inPage).not.toEqual([]);
    expect(anchorsOf(page).map((anchor) => `#${anchor}`)).toEqual(expect.arrayContaining(inPage));
  });

  it.each(["index", "native", "local-service/index"])(
    "has the doc comments of the sources in the types of dist/%s.d.ts",
    (entry) => {
      expect(readPage(`dist/${entry}.d.ts`)).toContain("/**");
    },
  );

  it("has a plugin that can be executed, on Windows also in a directory with spaces", () => {
    const plugin = files.find(({ path }) => path === "plugin/pulumi-resource-dbwebhooks");

    expect((plugin?.mode ?? 0) & 0o111).toBe(0o111);
    // Pulumi reads the port of the plugin from the first line of its output, so no command may be
    // echoed.
    const onWindows = readPage("plugin/pulumi-resource-dbwebhooks.cmd");
    expect(onWindows).toBe('@echo off\r\nnode "%~dp0pulumi-resource-dbwebhooks" %*\r\n');
  });

  it("has a schema of the plugin with the version of the package", () => {
    const schema = JSON.parse(readPage("plugin/schema.json"));

    expect(schema.version).toBe(packageJson.version);
  });

  it("has no files that a stack leaves behind in an example", async () => {
    await withDirectory(async (clone) => {
      await cp(join(repository, "package.json"), join(clone, "package.json"));
      await writeFiles(join(clone, "examples/yaml/consumer"), {
        ".pulumi/stacks/dev.json": "",
        "Pulumi.dev.yaml": "",
        "node_modules/index.js": "",
        "venv/pyvenv.cfg": "",
        "sdks/sdk.py": "",
        "__pycache__/sdk.cpython-313.pyc": "",
        "Pulumi.yaml": "",
      });

      const packed = (await packedFrom(clone)).map(({ path }) => path);

      expect(packed.toSorted()).toEqual(["examples/yaml/consumer/Pulumi.yaml", "package.json"]);
    });
  });

  it("uses no package of the project but Pulumi's SDK, whatever versions the project has", async () => {
    await withDirectory(async (project) => {
      const inModules = (name: string) => join(project, "node_modules", name);
      const others = Object.keys(packageJson.devDependencies).filter(
        (name) => name !== "pulumi-dbwebhooks" && name !== "@pulumi/pulumi",
      );
      for (const name of others) {
        await writeFiles(inModules(name), { "index.js": `throw new Error("loads ${name}");` });
      }
      await mkdir(inModules("@pulumi"));
      await symlink(join(repository, "node_modules/@pulumi/pulumi"), inModules("@pulumi/pulumi"));
      await mkdir(inModules("pulumi-dbwebhooks"));
      const file = await packInto(project);
      await extract({ file, cwd: inModules("pulumi-dbwebhooks"), strip: 1 });

      const { stdout } = await succeed(process.execPath, ["-e", programOfAllEntries], {
        directory: project,
      });

      expect(JSON.parse(stdout)).toEqual({
        failures: 1,
        deliveries: [{ webhookId: expect.any(Number), delivered: true, statusCode: 204 }],
      });
    });
  });

  it("bundles only packages that SECURITY.md names, with their licences", () => {
    const bundled = codePaths.flatMap(
      (path) => readPage(path).match(/^\S+(?= [\d.]+ \(MIT\)$)/gm) ?? [],
    );

    const expected = ["@hono/node-server", "hono", "undici", "zod"];
    expect(bundled.toSorted()).toEqual(expected);
    const page = readPage("SECURITY.md");
    expect(expected.filter((name) => !page.includes(name))).toEqual([]);
  });

  it.each([
    { directory: "dist", codeOf: () => codePaths.map(readPage).join("\n") },
    { directory: "plugin", codeOf: plainPlugin },
  ])("names in $directory/sbom.cdx.json what is bundled, as the lock file has it", async (row) => {
    const { name, version } = packageJson;
    const locked = packageLock.packages as Record<string, { version?: string; license?: string }>;

    const code = await row.codeOf();
    const document = JSON.parse(readPage(`${row.directory}/sbom.cdx.json`));

    expect(document).toMatchObject({
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      version: 1,
      metadata: { component: { name, version, purl: `pkg:npm/${name}@${version}` } },
    });
    const bundled = packagesIn(code).map((path) => {
      const purl = `${path.replace(/.*node_modules\//, "pkg:npm/")}@${locked[path]?.version}`;
      return [purl.replace("/@", "/%40"), locked[path]?.license];
    });
    const llhttp = code.includes("/llhttp-wasm.js\n") ? [["pkg:github/nodejs/llhttp", "MIT"]] : [];
    const named = document.components.map(({ purl, licenses: [one] }: Component) => [
      purl,
      one.expression ?? one.license?.id,
    ]);
    expect(named.toSorted()).toEqual([...bundled, ...llhttp].toSorted());
  });

  it.each(["dist/undici.js", "plugin/THIRD-PARTY-LICENSES"])(
    "has the licence of llhttp, which undici contains without one, in %s",
    (file) => {
      expect(readPage(file)).toMatch(/^llhttp, .*\s+.*MIT License\.\s+Copyright Fedor Indutny/m);
    },
  );

  it("has no path of a machine and no source map", () => {
    const machinePaths = [repository, homedir(), `${tmpdir()}/`];
    const unwanted = /file:\/\/\/|(?<![\w.])\/(?:home|Users)\/|\b[A-Z]:\\|sourceMappingURL/;
    const hasUnwantedText = (content: string) =>
      unwanted.test(content) || machinePaths.some((part) => content.includes(part));

    expect(paths.filter((path) => hasUnwantedText(readPage(path)))).toEqual([]);
  });
});
