import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as automation from "@pulumi/pulumi/automation/index.js";
import { type LocalService, startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect } from "vitest";
import { withDirectory, writeJson } from "./directory.js";
import { type CommandResult, run, stackEnvironment } from "./pulumi.js";

const repository = join(__dirname, "../..");

/** Arguments and resource options of the webhooks of a test program, by resource name. */
export type Webhooks = Readonly<
  Record<string, { readonly args: object; readonly opts?: object | undefined }>
>;

/** A stack of a plain JavaScript program with webhooks, on the real CLI with a file backend. */
export interface TestStack {
  readonly service: LocalService;
  readonly stack: automation.Stack;
  /** The directory of the program. */
  readonly directory: string;
  /** Declares webhooks in place of those declared before. */
  declare(webhooks: Webhooks): Promise<void>;
  /** Takes the text of a JavaScript program in place of the one that `declare` feeds. */
  declareText(program: string): Promise<void>;
  /** Runs the CLI in the program's directory, on its stack. */
  pulumi(args: readonly string[], environment?: Record<string, string>): Promise<CommandResult>;
  /** Webhooks in the state: id and outputs, by resource name. */
  resources(): Promise<Record<string, StateResource>>;
  /** The text of the exported state, with secrets as they are stored. */
  exportText(): Promise<string>;
}

/** What the state holds of one webhook. */
export interface StateResource {
  readonly urn: string;
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

export interface TestStackOptions {
  /** Default: a local service without options. */
  readonly service?: LocalService;
  /** Settings in the stack's configuration. Default: base URL and key of the service. */
  readonly config?: automation.ConfigMap;
  /** What a test leaves at the service on purpose. Default: nothing. */
  readonly remainsAtService?: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs a test with a stack of its own, then destroys and removes the stack and asserts that nothing
 * is left at the service.
 */
export async function withStack(
  use: (stack: TestStack) => Promise<void>,
  options: TestStackOptions = {},
): Promise<void> {
  await using service = options.service ?? (await startLocalService());
  await withDirectory(async (root) => {
    const directory = join(root, "program");
    const environment = { ...(await stackEnvironment(root)), ...options.environment };
    await writeProgram(directory);
    const stack = await automation.LocalWorkspace.createOrSelectStack(
      { stackName: "test", workDir: directory },
      { envVars: environment },
    );
    await stack.setAllConfig(
      options.config ?? {
        "dbwebhooks:baseUrl": { value: service.baseUrl },
        "dbwebhooks:apiKey": { value: service.apiKey, secret: true },
      },
    );
    const pulumi: TestStack["pulumi"] = (args, extra) =>
      run("pulumi", [...args, "--stack", "test", "--non-interactive"], {
        directory,
        environment: { ...environment, ...extra },
      });
    const exportText = async () => (await pulumi(["stack", "export"])).stdout;
    try {
      await use({
        service,
        stack,
        directory,
        declare: (webhooks) => writeJson(join(directory, "webhooks.json"), webhooks),
        declareText: (program) => writeFile(join(directory, "index.js"), program),
        pulumi,
        resources: async () => resourcesOf(JSON.parse(await exportText())),
        exportText,
      });
    } finally {
      service.clearFaults();
      await stack.destroy({ remove: true });
    }
    expect(service.webhooks).toHaveLength(options.remainsAtService ?? 0);
  });
}

/** Arguments that are all right, for tests that change one of them. */
export function webhookArgs(changes: object = {}): object {
  return {
    databaseId: "base_abc123",
    url: "https://example.com/hooks/orders",
    events: ["record.created", "record.updated"],
    ...changes,
  };
}

async function writeProgram(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await symlink(join(repository, "node_modules"), join(directory, "node_modules"));
  await writeFile(join(directory, "Pulumi.yaml"), "name: webhooks\nruntime: nodejs\n");
  await writeJson(join(directory, "package.json"), { name: "webhooks", main: "index.js" });
  await writeJson(join(directory, "webhooks.json"), {});
  await writeFile(
    join(directory, "index.js"),
    `const { Webhook } = require("pulumi-dbwebhooks");
const webhooks = Object.entries(require("./webhooks.json"));
for (const [name, { args, opts }] of webhooks) {
  exports[name + "Secret"] = new Webhook(name, args, opts).secret;
}
`,
  );
}

function resourcesOf(deployment: automation.Deployment): Record<string, StateResource> {
  const resources: StateResource[] = deployment.deployment.resources ?? [];
  return Object.fromEntries(
    resources
      .filter(({ urn }) => urn.includes("dbwebhooks:Webhook::"))
      .map((resource) => [resource.urn.split("::").at(-1), resource]),
  );
}
