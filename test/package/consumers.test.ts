import { join } from "node:path";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../helpers/directory.js";
import { packInto, succeed, writeFiles } from "../helpers/package.js";
import { stackEnvironment } from "../helpers/pulumi.js";

const repository = join(__dirname, "../..");
const versions = (require("../../package.json") as { devDependencies: Record<string, string> })
  .devDependencies;

const args = `{
  databaseId: "base_abc123",
  url: "https://example.com/hooks/orders",
  events: ["record.created"],
}`;
const esmProgram = `import * as dbwebhooks from "pulumi-dbwebhooks";
const orders = new dbwebhooks.Webhook("orders", ${args});
export const ordersSecret = orders.secret;
`;
const cjsProgram = `const { Webhook } = require("pulumi-dbwebhooks");
exports.ordersSecret = new Webhook("orders", ${args}).secret;
`;

interface Consumer {
  readonly name: string;
  readonly files: Readonly<Record<string, unknown>>;
  /** A command to run before Pulumi. */
  readonly before?: readonly [string, ...string[]];
}

const typescript = (compilerOptions: object) => ({
  compilerOptions: { strict: true, target: "es2022", types: ["node"], ...compilerOptions },
  files: ["index.ts"],
});

const consumers: readonly Consumer[] = [
  {
    name: "javascript-commonjs",
    files: { "package.json": { main: "index.js" }, "index.js": cjsProgram },
  },
  {
    name: "javascript-esm",
    files: { "package.json": { type: "module", main: "index.js" }, "index.js": esmProgram },
  },
  {
    name: "typescript-commonjs",
    before: ["tsc", "--noEmit", "-p", "."],
    files: {
      "package.json": { main: "index.ts" },
      "index.ts": esmProgram,
      // As in Pulumi's own templates; TypeScript 6 wants to be told that node10 is old.
      "tsconfig.json": typescript({
        module: "commonjs",
        moduleResolution: "node10",
        ignoreDeprecations: "6.0",
      }),
    },
  },
  {
    name: "typescript-node16",
    before: ["tsc", "--noEmit", "-p", "."],
    files: {
      "package.json": { main: "index.ts" },
      "index.ts": esmProgram,
      "tsconfig.json": typescript({ module: "node16" }),
    },
  },
  {
    name: "typescript-nodenext-esm",
    before: ["tsc", "-p", "."],
    files: {
      "package.json": { type: "module", main: "index.js" },
      "index.ts": esmProgram,
      "tsconfig.json": typescript({ module: "nodenext" }),
    },
  },
];

const directory = temporaryDirectory();
let service: LocalService;
let environment: Record<string, string>;

beforeAll(async () => {
  service = await startLocalService();
  environment = {
    ...(await stackEnvironment(directory.path)),
    DBWEBHOOKS_BASE_URL: service.baseUrl,
    DBWEBHOOKS_API_KEY: service.apiKey,
  };
  const tarball = await packInto(directory.path);
  const manifest = {
    private: true,
    dependencies: {
      "@pulumi/pulumi": versions["@pulumi/pulumi"],
      "@types/node": versions["@types/node"],
      "pulumi-dbwebhooks": `file:${tarball}`,
      typescript: versions.typescript,
    },
  };
  await writeFiles(directory.path, {
    "npm/package.json": manifest,
    "pnpm/package.json": { ...manifest, main: "index.js" },
    "pnpm/index.js": cjsProgram,
    // pnpm fails an installation until somebody decides about every install script.
    "pnpm/pnpm-workspace.yaml": "allowBuilds:\n  protobufjs: false\n",
  });
  const quietly = ["--no-audit", "--no-fund", "--prefer-offline"];
  await succeed("npm", ["install", ...quietly], { directory: join(directory.path, "npm") });
});

afterAll(async () => {
  await service.close();
  await directory.remove();
});

describe("The packed package", () => {
  it.each(consumers)("works in a program of kind $name", async ({ name, files, before }) => {
    const program = join(directory.path, "npm", name);
    await writeFiles(program, files);
    if (before !== undefined) {
      await succeed(join(repository, "node_modules/.bin", before[0]), before.slice(1), {
        directory: program,
      });
    }

    await expectUpAndDestroy(program, name);
  });

  it("works where pnpm installed it", async () => {
    const program = join(directory.path, "pnpm");
    await succeed(join(repository, "node_modules/.bin/pnpm"), ["install", "--prefer-offline"], {
      directory: program,
    });

    await expectUpAndDestroy(program, "pnpm");
  });
});

async function expectUpAndDestroy(program: string, name: string): Promise<void> {
  await writeFiles(program, { "Pulumi.yaml": `name: ${name}\nruntime: nodejs\n` });
  const pulumi = (...command: string[]) =>
    succeed("pulumi", [...command, "--non-interactive"], { directory: program, environment });

  await pulumi("stack", "init", "test");
  await pulumi("up", "--yes", "--skip-preview");
  expect(service.webhooks).toHaveLength(1);
  const { stdout } = await pulumi("stack", "output", "ordersSecret", "--show-secrets");
  expect(stdout.trim()).toBe(service.webhooks[0]?.secret);

  await pulumi("destroy", "--yes", "--skip-preview");

  expect(service.webhooks).toEqual([]);
}
