import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { devDependencies as versions } from "../../package.json";
import { temporaryDirectory } from "../helpers/directory.js";
import { packInto, succeed, writeFiles } from "../helpers/package.js";
import { stackEnvironment } from "../helpers/pulumi.js";

const binaries = join(__dirname, "../../node_modules/.bin");

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
  await stack.setAllConfig({
    "dbwebhooks:apiKey": { value: "unused" },
    "dbwebhooks:timeoutSecond": { value: "5" },
  });
  const runs = [await stack.up(), await stack.up()];
  await stack.destroy();
  console.log(JSON.stringify(runs));
}
main();
`;

const typescript = (packageJson: object, options: object) => ({
  "package.json": packageJson,
  "index.ts": esmProgram,
  "native.ts": nativeProgram,
  "tsconfig.json": {
    compilerOptions: { strict: true, target: "es2022", types: ["node"], ...options },
    files: ["index.ts", "native.ts"],
  },
});
const node10 = { module: "commonjs", moduleResolution: "node10" };

/** Programs in one project, whose stack has the same webhook whichever of them runs. */
const npmConsumers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "javascript-commonjs": { "package.json": { main: "index.js" }, "index.js": cjsProgram },
  "javascript-esm": {
    "package.json": { type: "module", main: "index.js" },
    "index.js": esmProgram,
  },
  // As in Pulumi's own templates; TypeScript 6 wants to be told that node10 is old.
  "typescript-commonjs": typescript(
    { main: "index.ts" },
    { ...node10, noEmit: true, ignoreDeprecations: "6.0" },
  ),
  "typescript-node16": typescript({ main: "index.ts" }, { module: "node16", noEmit: true }),
  "typescript-nodenext-esm": typescript(
    { type: "module", main: "index.js" },
    { module: "nodenext" },
  ),
  // A member of npm workspaces: its dependencies are installed above it.
  "packages/infrastructure": { "index.js": cjsProgram },
};

const root = temporaryDirectory();
const at = (...path: string[]) => join(root.path, ...path);
let service: LocalService;
let environment: Record<string, string>;

const first = at("npm/javascript-commonjs");
/** What the stack's secrets are encrypted with. */
let settings: string;
const pulumi = (directory: string, ...words: string[]) =>
  succeed("pulumi", [...words, "--stack", "test", "--non-interactive"], { directory, environment });

beforeAll(async () => {
  service = await startLocalService();
  environment = {
    ...(await stackEnvironment(root.path)),
    DBWEBHOOKS_BASE_URL: service.baseUrl,
    DBWEBHOOKS_API_KEY: service.apiKey,
  };
  const dependencies = {
    "@pulumi/pulumi": versions["@pulumi/pulumi"],
    "@types/node": versions["@types/node"],
    "pulumi-dbwebhooks": `file:${await packInto(root.path)}`,
  };
  const project = { "Pulumi.yaml": "name: consumer\nruntime: nodejs\n" };
  await writeFiles(at("npm"), {
    "package.json": {
      private: true,
      workspaces: ["packages/*"],
      dependencies: { ...dependencies, typescript: versions.typescript },
    },
    "packages/infrastructure/package.json": { name: "infrastructure", dependencies },
  });
  await writeFiles(at("pnpm"), {
    ...project,
    ...typescript(
      { main: "index.ts", dependencies: { ...dependencies, typescript: "~5.9.3" } },
      { ...node10, noEmit: true },
    ),
    // pnpm fails an installation until somebody decides about every install script.
    "pnpm-workspace.yaml": "allowBuilds:\n  protobufjs: false\n",
  });
  const quietly = ["--no-audit", "--no-fund", "--prefer-offline"];
  await succeed("npm", ["install", ...quietly], { directory: at("npm") });
  for (const [name, files] of Object.entries(npmConsumers)) {
    await writeFiles(at("npm", name), { ...project, ...files });
  }
  // It writes the program of the one that has no TypeScript at run time.
  const projects = Object.keys(npmConsumers).filter((name) => name.startsWith("typescript"));
  await succeed(at("npm/node_modules/.bin/tsc"), ["-b", ...projects], { directory: at("npm") });

  await pulumi(first, "stack", "init");
  await pulumi(first, "up", "--yes", "--skip-preview");
  const { stdout } = await pulumi(first, "stack", "output", "ordersSecret", "--show-secrets");
  expect([stdout.trim()]).toEqual(service.webhooks.map(({ secret }) => secret));
  settings = await readFile(join(first, "Pulumi.test.yaml"), "utf8");
});

afterAll(async () => {
  await pulumi(first, "destroy", "--yes", "--skip-preview");
  expect(service.webhooks).toEqual([]);
  await service.close();
  await root.remove();
});

/** Expects a program to be the one that made the webhook, or just like it. */
async function expectSameWebhook(program: string): Promise<void> {
  await writeFiles(program, { "Pulumi.test.yaml": settings });
  // Unlike an update, a preview does not lock the stack.
  await pulumi(program, "preview", "--expect-no-changes");
}

describe("The packed package", () => {
  it.concurrent.each(Object.keys(npmConsumers))("works in a program of kind %s", (name) =>
    expectSameWebhook(at("npm", name)),
  );

  it.concurrent("works where pnpm installed it, with TypeScript 5.9", async () => {
    const program = at("pnpm");
    await succeed(join(binaries, "pnpm"), ["install", "--prefer-offline"], { directory: program });
    await succeed(join(program, "node_modules/.bin/tsc"), ["-p", "."], { directory: program });

    await expectSameWebhook(program);
  });

  it("works in a bundled program of the Automation API, with one warning of each odd key in each run", async () => {
    const program = at("npm/automation");
    await writeFiles(program, {
      "package.json": {},
      "main.ts": automationProgram,
      "rolldown.config.mjs": `export default {
        input: "main.ts", platform: "node", external: /^@pulumi/,
        output: { format: "cjs", file: "bundled.js" },
      };`,
    });
    await succeed(join(binaries, "rolldown"), ["-c"], { directory: program });
    const posts = service.counts.posts;

    const { stdout } = await succeed("node", ["bundled.js"], { directory: program, environment });

    const runs = JSON.parse(stdout);
    for (const { outputs, stdout: printed } of runs) {
      expect(outputs.ordersSecret).toEqual({
        secret: true,
        value: expect.stringMatching(/^whsec_/),
      });
      const diagnostics = printed.slice(printed.indexOf("Diagnostics:"));
      expect(diagnostics.match(/\bdbwebhooks:timeoutSecond: /g)).toHaveLength(1);
      expect(diagnostics.match(/config set --secret dbwebhooks:apiKey/g)).toHaveLength(1);
    }
    expect(runs[1].summary.resourceChanges).toEqual({ same: 2 });
    expect([service.counts.posts, service.webhooks.length]).toEqual([posts + 1, 1]);
  });
});
