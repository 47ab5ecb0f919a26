import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cliEnvironment, hermeticEnvironment } from "../../tools/pulumi-cli/environment.mts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "pulumi-cli-environment-"));
});

afterEach(() => rm(root, { recursive: true, force: true }));

describe("the hermetic environment", () => {
  it("keeps state and settings in its directory", async () => {
    const environment = await hermeticEnvironment(root, {});

    expect(environment).toMatchObject({
      PULUMI_BACKEND_URL: `file://${join(root, "state")}`,
      PULUMI_HOME: join(root, "home"),
      PULUMI_CONFIG_PASSPHRASE: expect.stringMatching(/./),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    });
    expect(await readdir(root)).toContain("state");
  });

  it("unsets what the user has set for Pulumi and for this package, and nothing else", async () => {
    const user = {
      PULUMI_ACCESS_TOKEN: "pul-1",
      PULUMI_STACK: "production",
      DBWEBHOOKS_API_KEY: "key",
      HOME: "/home/user",
      MY_PULUMI_NOTE: "mine",
    };

    const environment = { ...user, ...(await hermeticEnvironment(root, user)) };

    expect(environment).toMatchObject({
      PULUMI_ACCESS_TOKEN: undefined,
      PULUMI_STACK: undefined,
      DBWEBHOOKS_API_KEY: undefined,
      HOME: "/home/user",
      MY_PULUMI_NOTE: "mine",
    });
  });
});

describe("the CLI's environment", () => {
  const node = dirname(process.execPath);

  it("has the Node that runs us first on PATH, where another would be found", async () => {
    const command = join(root, "pulumi");

    const environment = await cliEnvironment({
      command,
      isOurCopy: false,
      environment: { PATH: "/elsewhere" },
    });

    expect(environment).toEqual({ PATH: [node, root, "/elsewhere"].join(delimiter) });
  });

  it("leaves PATH as it is where both are found first", async () => {
    const environment = await cliEnvironment({
      // Stands for a CLI in the same directory as Node, as Homebrew has it.
      command: process.execPath,
      isOurCopy: false,
      environment: { PATH: ["/elsewhere", node].join(delimiter) },
    });

    expect(environment.PATH?.split(delimiter).filter((part) => part === node)).toHaveLength(2);
  });
});
