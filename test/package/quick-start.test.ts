import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../helpers/directory.js";
import { packInto, succeed, writeFiles } from "../helpers/package.js";
import { type RunningCommand, stackEnvironment, start } from "../helpers/pulumi.js";

const readme = readFileSync(join(__dirname, "../../README.md"), "utf8");
// What comes behind its last line needs an account.
const [guide = ""] = readme.split("\n## Quick start\n")[1]?.split("\n`pulumi destroy") ?? [];
const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", text = ""]) => ({ language, text }),
);
const documented = (language: string) =>
  blocks.filter((block) => block.language === language).map(({ text }) => text);
const [install = "", serve = "", ...pulumi] = documented("sh");
const [listens = "", ...shown] = documented("text");
const [project = ""] = documented("yaml");
// "The program from the top of this page".
const [, program = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(readme) ?? [];

const directory = temporaryDirectory();
let environment: Record<string, string>;
let service: RunningCommand | undefined;

beforeAll(async () => {
  const { PULUMI_BACKEND_URL: _, ...rest } = await stackEnvironment(directory.path);
  environment = { ...rest, npm_config_prefer_offline: "true" };
});

afterAll(async () => {
  if (service?.child.pid !== undefined) {
    // npx does not pass signals on to what it has started.
    process.kill(-service.child.pid, "SIGTERM");
    await service.result;
  }
  await directory.remove();
});

const shell = (script: string, at: string) =>
  succeed("sh", ["-ec", script], { directory: at, environment });

describe("The quick start", () => {
  it("takes under ten commands", () => {
    const commands = [install, serve, ...pulumi].flatMap((text) => text.trim().split("\n"));

    expect(commands.length).toBeLessThan(10);
  });

  it("leads from an empty directory to a stored secret, and shows what it says", async () => {
    const tarball = await packInto(directory.path);
    const at = join(directory.path, "orders");

    await shell(install.replace("pulumi-dbwebhooks", tarball), directory.path);
    await writeFiles(at, { "Pulumi.yaml": project, "index.ts": program });
    // A free port, where the guide has the usual one.
    const words = `${serve.trim()} --port 0`.split(" ");
    service = start(words[0] ?? "", words.slice(1), {
      directory: at,
      environment,
      isGroupLeader: true,
    });
    const address = await firstAddress(service);
    expectShown(listens.replace("http://127.0.0.1:8787", address), service.output());
    const { output } = await shell(pulumi.join("").replace("http://127.0.0.1:8787", address), at);

    for (const text of shown) {
      expectShown(text, output);
    }
  });
});

async function firstAddress(command: RunningCommand): Promise<string> {
  const find = () => /http:\/\/\S+/.exec(command.output())?.[0];
  await expect.poll(find).toBeDefined();
  return find() ?? "";
}

/** Expects the text, up to the … that stands for what differs from run to run. */
function expectShown(text: string, output: string): void {
  expect(output).toContain(text.trimEnd().split("…")[0]);
}
