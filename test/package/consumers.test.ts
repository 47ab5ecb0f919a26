import { join } from "node:path";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../helpers/directory.js";
import { expectUpAndDestroy, packInto, succeed, writeFiles } from "../helpers/package.js";
import { stackEnvironment } from "../helpers/pulumi.js";

const repository = join(__dirname, "../..");
const binaries = join(repository, "node_modules/.bin");
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
// Typed alike, whatever resolves the modules; nothing of it runs.
const nativeProgram = `import * as dbwebhooks from "pulumi-dbwebhooks/native";
const args: dbwebhooks.WebhookArgs = ${args};
export const secret = (opts: dbwebhooks.ProviderArgs) =>
  new dbwebhooks.Webhook("orders", args, {
    provider: new dbwebhooks.Provider("eu", opts),
    import: "base_abc123/42",
  }).webhookId;
`;
const cjsProgram = `const { Webhook } = require("pulumi-dbwebhooks");
exports.ordersSecret = new Webhook("orders", ${args}).secret;
`;

const automationProgram = `import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import * as dbwebhooks from "pulumi-dbwebhooks";
async function main() {
  const stack = await LocalWorkspace.createStack({
    stackName: "test",
    projectName: "automation",
    program: async () => ({ ordersSecret: new dbwebhooks.Webhook("orders", ${args}).secret }),
  });
  const { outputs } = await stack.up();
  await stack.destroy();
  process.stdout.write(JSON.stringify(outputs.ordersSecret));
}
main();
`;

interface Consumer {
  readonly name: string;
  readonly files: Readonly<Record<string, unknown>>;
  /** A command of the consumer's own packages to run before Pulumi. */
  readonly before?: readonly [string, ...string[]];
}

const typescript = (compilerOptions: object) => ({
  compilerOptions: { strict: true, target: "es2022", types: ["node"], ...compilerOptions },
  files: ["index.ts", "native.ts"],
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
      "native.ts": nativeProgram,
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
      "native.ts": nativeProgram,
      "tsconfig.json": typescript({ module: "node16" }),
    },
  },
  {
    name: "typescript-nodenext-esm",
    before: ["tsc", "-p", "."],
    files: {
      "package.json": { type: "module", main: "index.js" },
      "index.ts": esmProgram,
      "native.ts": nativeProgram,
      "tsconfig.json": typescript({ module: "nodenext" }),
    },
  },
  {
    // A member of npm workspaces: its dependencies are installed above it.
    name: "packages/infrastructure",
    files: { "index.js": cjsProgram },
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
  const dependencies = {
    "@pulumi/pulumi": versions["@pulumi/pulumi"],
    "@types/node": versions["@types/node"],
    "pulumi-dbwebhooks": `file:${tarball}`,
  };
  const manifest = { private: true, dependencies, main: "index.js" };
  await writeFiles(directory.path, {
    "npm/package.json": {
      private: true,
      workspaces: ["packages/*"],
      dependencies: { ...dependencies, typescript: versions.typescript, esbuild: "^0.28.0" },
    },
    "npm/packages/infrastructure/package.json": { ...manifest, name: "infrastructure" },
    "pnpm/package.json": {
      ...manifest,
      main: "index.ts",
      dependencies: { ...dependencies, typescript: "~5.9.3" },
    },
    "pnpm/index.ts": esmProgram,
    "pnpm/native.ts": nativeProgram,
    "pnpm/tsconfig.json": typescript({ module: "commonjs", moduleResolution: "node10" }),
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
      await succeed("npm", ["exec", "--no", "--", ...before], { directory: program });
    }

    await expectUpAndDestroy({ program, service, environment });
  });

  it("works in an Automation API program that esbuild bundled", async () => {
    const program = join(directory.path, "npm/automation");
    await writeFiles(program, { "package.json": {}, "main.ts": automationProgram });
    const esbuild = ["--bundle", "--platform=node", "--external:@pulumi/pulumi"];
    await succeed(
      "npm",
      ["exec", "--no", "--", "esbuild", "main.ts", ...esbuild, "--outfile=main.js"],
      { directory: program },
    );

    const { stdout } = await succeed("node", ["main.js"], { directory: program, environment });

    expect(JSON.parse(stdout)).toEqual({ secret: true, value: expect.stringMatching(/^whsec_/) });
    expect(service.webhooks).toEqual([]);
  });

  it("works where pnpm installed it, with TypeScript 5.9", async () => {
    const program = join(directory.path, "pnpm");
    const pnpm = (...words: string[]) =>
      succeed(join(binaries, "pnpm"), words, { directory: program });
    await pnpm("install", "--prefer-offline");
    await pnpm("exec", "tsc", "--noEmit", "-p", ".");
    const bundler = ["--module", "es2022", "--moduleResolution", "bundler"];
    await pnpm("exec", "tsc", "--noEmit", "-p", ".", ...bundler);

    await expectUpAndDestroy({ program, service, environment });
  });
});
