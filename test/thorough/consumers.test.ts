import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import semver from "semver";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { peerDependencies, devDependencies as versions } from "../../package.json";
import { succeed } from "../helpers/commands.ts";
import { repository, temporaryDirectory, writeFiles } from "../helpers/directory.ts";
import { packInto } from "../helpers/package.ts";
import { stackEnvironment } from "../helpers/pulumi.ts";
import { methodsOf, recordRequests } from "../helpers/recorder.mts";

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
// The compiler checks it in every project; it never runs.
const nativeProgram = `import * as dbwebhooks from "pulumi-dbwebhooks/native";
const args: dbwebhooks.WebhookArgs = ${args};
export const secret = (opts: dbwebhooks.ProviderArgs) =>
  new dbwebhooks.Webhook("orders", args, {
    provider: new dbwebhooks.Provider("eu", opts),
    import: "42",
  }).id;
`;
const cjsProgram = `const { Webhook } = require("pulumi-dbwebhooks");
exports.ordersSecret = new Webhook("orders", ${args}).secret;
`;
const automationProgram = `import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import * as dbwebhooks from "pulumi-dbwebhooks";
async function main() {
  const program = async () => ({ ordersSecret: new dbwebhooks.Webhook("orders", ${args}).secret });
  const options = { stackName: "test", projectName: "automation", program };
  const projectSettings = { name: "automation", runtime: "nodejs" as const, main: __filename };
  const stack = await LocalWorkspace.createStack(options, { projectSettings });
  // A key in plain text leads to a warning, although that of the environment is used.
  await stack.setConfig("dbwebhooks:apiKey", { value: "unused" });
  const runs = [await stack.up(), await stack.up()];
  await stack.destroy();
  console.log(JSON.stringify(runs));
}
main();
`;

// A webhook of each provider, with a url that the environment sets.
const programOfBoth = `import * as dynamic from "pulumi-dbwebhooks";
import * as native from "pulumi-dbwebhooks/native";
const args = { databaseId: "base_abc123", url: process.env.RECEIVER!, events: ["record.created" as const] };
export const orders = new dynamic.Webhook("orders", args).secret;
export const invoices = new native.Webhook("invoices", args).secret;
`;

const pulumiProject = { "Pulumi.yaml": "name: consumer\nruntime: nodejs\n" };

/** A TypeScript program with a project of its own for the compiler. */
const typescript = (packageJson: object, compilerOptions: object) => ({
  ...pulumiProject,
  "package.json": packageJson,
  "index.ts": esmProgram,
  "native.ts": nativeProgram,
  "tsconfig.json": {
    compilerOptions: { strict: true, target: "es2022", types: ["node"], ...compilerOptions },
    files: ["index.ts", "native.ts"],
  },
});

/** Programs of the same Pulumi project. They declare the same webhook, and share its stack. */
const typescriptPrograms = {
  node16: typescript({ main: "index.ts" }, { module: "node16", noEmit: true }),
  // Pulumi runs the JavaScript that the compiler writes: an ES module.
  nodenext: typescript({ type: "module", main: "index.js" }, { module: "nodenext" }),
};

const root = temporaryDirectory();
const pathOf = (...path: string[]) => join(root.path, ...path);
/** A member of npm workspaces: its dependencies are installed above it. */
const workspaceMember = pathOf("npm/packages/infrastructure");
let service: LocalService;
let tarball: string;
let environment: Record<string, string>;
/**
 * The configuration of the stack, without whose encryption salt no other program can read its
 * secrets.
 */
let stackConfig: string;

const pulumi = (directory: string, ...args: string[]) =>
  succeed("pulumi", [...args, "--stack", "test", "--non-interactive"], { directory, environment });

beforeAll(async () => {
  service = await startLocalService();
  environment = {
    ...(await stackEnvironment(root.path)),
    DBWEBHOOKS_BASE_URL: service.baseUrl,
    DBWEBHOOKS_API_KEY: service.apiKey,
  };
  tarball = `file:${await packInto(root.path)}`;
  const dependencies = {
    "@pulumi/pulumi": versions["@pulumi/pulumi"],
    "@types/node": versions["@types/node"],
    "pulumi-dbwebhooks": tarball,
  };
  await Promise.all([prepareNpm(dependencies), preparePnpm(dependencies)]);
  await pulumi(workspaceMember, "stack", "init");
  await pulumi(workspaceMember, "up", "--yes", "--skip-preview");
  stackConfig = await readFile(join(workspaceMember, "Pulumi.test.yaml"), "utf8");
});

afterAll(async () => {
  await pulumi(workspaceMember, "destroy", "--yes", "--skip-preview");
  expect(service.webhooks).toEqual([]);
  await service.close();
  await root.remove();
});

const npmOptions = ["--no-audit", "--no-fund", "--prefer-offline"];

/** Installs the package with npm, and compiles the TypeScript programs. */
async function prepareNpm(dependencies: object): Promise<void> {
  const directory = pathOf("npm");
  const withCompiler = { ...dependencies, typescript: versions.typescript };
  await writeFiles(directory, {
    "package.json": { private: true, workspaces: ["packages/*"], dependencies: withCompiler },
  });
  await writeFiles(workspaceMember, {
    ...pulumiProject,
    "package.json": { name: "infrastructure", dependencies },
    "index.js": cjsProgram,
  });
  for (const [name, files] of Object.entries(typescriptPrograms)) {
    await writeFiles(join(directory, name), files);
  }
  await succeed("npm", ["install", ...npmOptions], { directory });
  const compiler = join(directory, "node_modules/.bin/tsc");
  await succeed(compiler, ["-b", ...Object.keys(typescriptPrograms)], { directory });
}

/** Installs the package with pnpm, and checks the types of a program with an older TypeScript. */
async function preparePnpm(dependencies: object): Promise<void> {
  const directory = pathOf("pnpm");
  const withCompiler = { ...dependencies, typescript: "~5.9.3" };
  // These are the compiler options of Pulumi's own templates.
  const compilerOptions = { module: "commonjs", moduleResolution: "node10", noEmit: true };
  const files = typescript({ main: "index.ts", dependencies: withCompiler }, compilerOptions);
  await writeFiles(directory, files);
  await succeed(join(binaries, "pnpm"), ["install", "--prefer-offline"], { directory });
  await succeed(join(directory, "node_modules/.bin/tsc"), ["-p", "."], { directory });
}

/** Expects a program to declare exactly the webhook that the stack has. */
async function expectSameWebhook(program: string): Promise<void> {
  await writeFiles(program, { "Pulumi.test.yaml": stackConfig });
  // Unlike an update, a preview does not lock the stack.
  await pulumi(program, "preview", "--expect-no-changes");
}

// Pulumi's SDK loads the types of Node.js for the other entries.
it("The types of the local service compile with the defaults of TypeScript", async () => {
  const options = ["--ignoreConfig", "--noEmit", "--module", "nodenext"];

  await succeed(join(binaries, "tsc"), [...options, "dist/local-service/index.d.ts"], {
    directory: repository,
  });
});

describe.concurrent("The packed package", () => {
  it("works bundled with the Automation API, and warns of a plain key in each run", async () => {
    const program = pathOf("npm/automation");
    await writeFiles(program, {
      "main.ts": automationProgram,
      "rolldown.config.mjs": `export default {
        input: "main.ts", platform: "node", external: /^@pulumi/,
        output: { format: "cjs", file: "bundled.js" },
      };`,
    });
    await succeed(join(binaries, "rolldown"), ["-c"], { directory: program });
    const { requests, stop } = recordRequests(service);

    const { stdout } = await succeed("node", ["bundled.js"], { directory: program, environment });
    stop();

    const runs = JSON.parse(stdout);
    const secret = { secret: true, value: expect.stringMatching(/^[\da-f]{64}$/) };
    for (const { outputs, stdout: printed } of runs) {
      expect(outputs.ordersSecret).toEqual(secret);
      // Pulumi prints each warning twice: when it comes, and here.
      const diagnostics = printed.slice(printed.indexOf("Diagnostics:"));
      expect(diagnostics.match(/config set --secret dbwebhooks:apiKey/g)).toHaveLength(1);
    }
    expect(runs[1].summary.resourceChanges).toEqual({ same: 2 });
    expect(methodsOf(requests)).toEqual(["POST", "DELETE"]);
    expect(service.webhooks).toHaveLength(1);
  });

  it("works in a CommonJS program of an npm workspace", async () => {
    const output = ["stack", "output", "ordersSecret", "--show-secrets"];
    const { stdout } = await pulumi(workspaceMember, ...output);

    expect(stdout.trim()).toBe(service.webhooks[0]?.secret);
  });

  it.each(Object.keys(typescriptPrograms))("works in TypeScript with the module kind %s", (name) =>
    expectSameWebhook(pathOf("npm", name)),
  );

  it("works where pnpm installed it, with TypeScript 5.9 and moduleResolution node10", () =>
    expectSameWebhook(pathOf("pnpm")));

  // Its peer range of TypeScript ends before 6.
  it("creates, replaces and deletes with the oldest Pulumi SDK that it supports", async () => {
    await using ownService = await startLocalService();
    const directory = pathOf("oldest");
    const oldest = semver.minVersion(peerDependencies["@pulumi/pulumi"])?.version;
    await writeFiles(directory, {
      "Pulumi.yaml": {
        ...{ name: "oldest", runtime: "nodejs" },
        plugins: {
          providers: [{ name: "dbwebhooks", path: "node_modules/pulumi-dbwebhooks/plugin" }],
        },
      },
      "package.json": {
        main: "index.ts",
        dependencies: {
          "@pulumi/pulumi": oldest,
          "@types/node": versions["@types/node"],
          "pulumi-dbwebhooks": tarball,
          typescript: "~5.9.3",
        },
      },
      "index.ts": programOfBoth,
    });
    await succeed("npm", ["install", ...npmOptions], { directory });
    const run = (args: readonly string[], RECEIVER = "") => {
      const ofTest = { ...environment, DBWEBHOOKS_BASE_URL: ownService.baseUrl, RECEIVER };
      return succeed("pulumi", [...args, "--stack", "test"], { directory, environment: ofTest });
    };
    const up = (url: string) => run(["up", "--yes", "--skip-preview"], url);
    const urls = ["https://example.com/first", "https://example.com/second"] as const;
    const { requests } = recordRequests(ownService);

    await run(["stack", "init"]);
    await up(urls[0]);
    await up(urls[1]);
    const { stdout } = await run(["stack", "output", "--json", "--show-secrets"]);
    const replaced = ownService.webhooks;
    await run(["destroy", "--yes", "--skip-preview"]);

    const installed = await readFile(join(directory, "node_modules/@pulumi/pulumi/package.json"));
    expect(JSON.parse(installed.toString()).version).toBe(oldest);
    expect(replaced.map(({ url }) => url)).toEqual([urls[1], urls[1]]);
    expect(Object.values(JSON.parse(stdout)).toSorted()).toEqual(
      replaced.map(({ secret }) => secret).toSorted(),
    );
    expect(methodsOf(requests).toSorted()).toEqual([
      ...Array(4).fill("DELETE"),
      ...Array(4).fill("POST"),
    ]);
  });
});
