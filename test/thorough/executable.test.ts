import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import which from "which";
import { version } from "../../package.json";
import { nodeVersion, platformOfMachine } from "../../tools/plugin/node-binary.mts";
import { pluginAdapter, startAdapter } from "../helpers/adapters/adapters.ts";
import { startCreationInFlight } from "../helpers/adapters/creation-in-flight.ts";
import { createThroughProxy } from "../helpers/adapters/proxied-creation.ts";
import { secret, someArgs } from "../helpers/builders.ts";
import { succeed } from "../helpers/commands.ts";
import { repository, temporaryDirectory, writeJson } from "../helpers/directory.ts";
import { anchorsOf, readPage } from "../helpers/markdown.ts";
import { reference, yamlProgram } from "../helpers/programs.ts";
import { methodsOf, recordRequests } from "../helpers/recorder.mts";
import { noPromptFlags, withStack } from "../helpers/stack.ts";

const platform = platformOfMachine();
const packed = temporaryDirectory();
const archive = join(
  packed.path,
  `archives/pulumi-resource-dbwebhooks-v${version}-${platform}.tar.gz`,
);
const inArchive = (name: string) => join(packed.path, platform, name);
const adapter = {
  ...pluginAdapter,
  name: "the executable",
  program: inArchive("pulumi-resource-dbwebhooks"),
};

beforeAll(async () => {
  const pack = join(repository, "tools/plugin/pack.mts");
  const args = [pack, "--out", packed.path, platform];
  await succeed(process.execPath, args, { directory: repository });
  return () => packed.remove();
});

it("Where there is no Node.js, the plugin of an archive is installed, and manages a webhook", () =>
  withStack(
    async ({ directory, service, outputs, stateText, ...stack }) => {
      const PATH = join(directory, "../bin");
      await mkdir(PATH);
      for (const program of ["pulumi", "pulumi-language-yaml"]) {
        await symlink(await which(program), join(PATH, program));
      }
      expect(await which("node", { path: PATH, nothrow: true })).toBe(null);
      const pulumi = (...args: string[]) =>
        succeed("pulumi", args, { directory, environment: { ...stack.environment, PATH } });
      const onStack = (...args: string[]) =>
        pulumi(...args, "--stack", "test", "--non-interactive", ...noPromptFlags);
      const orders = { type: "dbwebhooks:Webhook", properties: someArgs() };
      await writeJson(join(directory, "Pulumi.yaml"), {
        name: "webhooks",
        runtime: "yaml",
        resources: { orders },
        outputs: { ordersSecret: reference("orders.secret") },
      });
      const { requests } = recordRequests(service);

      await pulumi("plugin", "install", "resource", "dbwebhooks", version, "--file", archive);
      await onStack("up");
      const created = service.webhooks.map((webhook) => webhook.secret);
      const { ordersSecret } = await outputs();
      const stored = await stateText();
      await onStack("up", "--expect-no-changes");
      await onStack("destroy");

      expect(created).toEqual([ordersSecret]);
      expect(stored).not.toContain(ordersSecret);
      expect(methodsOf(requests)).toEqual(["POST", "DELETE"]);
      expect(service.webhooks).toEqual([]);
    },
    { program: yamlProgram },
  ));

describe("The executable", () => {
  it("undoes the creation in flight after SIGINT, and ends", async () => {
    await using started = await startCreationInFlight(adapter);
    const { service, running, release, exited } = started;

    running.child.kill("SIGINT");
    await expect.poll(() => running.lines().join()).toContain("Pulumi is stopping");
    release();
    await exited();

    expect(service.webhooks).toEqual([]);
  });

  it("starts no inspector on NODE_OPTIONS or SIGUSR1", async () => {
    const settings = { baseUrl: "https://tables.example.com", apiKey: "key" };
    const environment = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };
    const running = await startAdapter(adapter, settings, environment);

    running.child.kill("SIGUSR1");
    // Calls that send no request leave the process time to handle the signal.
    for (let call = 0; call < 10; call += 1) {
      await running.check(someArgs());
    }
    await running[Symbol.asyncDispose]();

    expect(running.lines().filter((line) => /debugger/i.test(line))).toEqual([]);
  });

  it("uses the proxy and the extra CA certificates of its environment", async () => {
    const { created, proxyHeads } = await createThroughProxy(adapter);

    expect(created).toEqual({ id: "17", secret });
    expect(proxyHeads).toHaveLength(1);
  });

  it("comes with the page that messages name, whose links lead to it or to the web", async () => {
    const page = await readFile(inArchive("troubleshooting.md"), "utf8");
    const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
    const targets = links.filter((target) => !target.startsWith("https://"));

    expect(page).toContain("\n## inDoubt\n");
    expect(targets).not.toEqual([]);
    expect(anchorsOf(page).map((anchor) => `#${anchor}`)).toEqual(expect.arrayContaining(targets));
  });

  it("holds no path of the machine that built it", async () => {
    const executable = await readFile(inArchive("pulumi-resource-dbwebhooks"));

    expect(executable.includes(repository)).toBe(false);
  });

  it("comes with the licences of Node.js", async () => {
    const licences = await readFile(inArchive("THIRD-PARTY-LICENSES"), "utf8");

    expect(licences).toContain(`\nnode ${nodeVersion} (MIT)\n\nNode.js is licensed for use`);
  });

  it("comes with the CycloneDX document of the plugin, in which Node.js is added", async () => {
    const document = JSON.parse(await readFile(inArchive("sbom.cdx.json"), "utf8"));
    const { components, ...rest } = JSON.parse(readPage("plugin/sbom.cdx.json"));

    const node = { name: "node", version: nodeVersion, purl: `pkg:generic/node@${nodeVersion}` };
    expect(document).toEqual({
      ...rest,
      components: [...components, expect.objectContaining(node)],
    });
  });
});
