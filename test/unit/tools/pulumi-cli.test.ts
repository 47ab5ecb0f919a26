import * as fs from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import which from "which";
import { cliVersion } from "../../../tools/pulumi-cli/build.mts";
import { hermeticEnvironment } from "../../../tools/pulumi-cli/environment.mts";
import { resolvePulumiCli } from "../../../tools/pulumi-cli/resolve.mts";
import { start } from "../../helpers/commands.ts";
import { repository, temporaryDirectory } from "../../helpers/directory.ts";
import { errorOf } from "../../helpers/errors.ts";

const originalPath = process.env.PATH ?? "";
let root: string;
let messages: string[];

// Each test has a machine of its own: PATH holds nothing but the files of the test, the cache is
// empty, and there is no network, because nothing listens on the port of the proxy.
beforeEach(() => {
  const directory = temporaryDirectory();
  root = directory.path;
  messages = [];
  setPath("bin");
  vi.stubEnv("HOME", root);
  vi.stubEnv("XDG_CACHE_HOME", inRoot("cache"));
  vi.stubEnv("https_proxy", "http://127.0.0.1:9");
  vi.stubEnv("PULUMI_CLI_SOURCES", "path,build");
  vi.stubEnv("PULUMI_CLI_LANGUAGES", "");
  onTestFinished(() => directory.remove());
});

const inRoot = (path: string) => join(root, path);
const setPath = (...directories: string[]) =>
  vi.stubEnv("PATH", directories.map(inRoot).join(delimiter));
const cache = () => inRoot("cache/pulumi-dbwebhooks/pulumi-cli");
const resolve = () => resolvePulumiCli({ say: (line) => void messages.push(line) });

/** Writes an executable script. By default it runs in a shell that finds only what is on PATH. */
function script(path: string, body: string, interpreter = "/bin/sh"): string {
  const file = inRoot(path);
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, `#!${interpreter}\n${body}\n`, { mode: 0o755 });
  return file;
}

/**
 * Puts a Go on PATH that records each module to build, and writes scripts in place of its programs,
 * which print this version. It knows a module by its directory, and lists the directory of Pulumi's
 * SDK.
 */
function installGo({ version = cliVersion, lastCommand = "" } = {}): void {
  script("sdk/python/cmd/pulumi-language-python-exec", "");
  script(
    "bin/go",
    `[ $1 = list ] && echo ${inRoot("sdk")} && exit
     module=\${PWD##*/}; programs=pulumi
     [ $module = language-hosts ] && programs="pulumi-language-go pulumi-language-nodejs pulumi-language-python"
     echo $module >> ${inRoot("built")}
     while [ "$1" != -o ]; do shift; done
     /bin/mkdir -p "$2"
     for name in $programs; do
       echo '#!/bin/sh\necho v${version}' > "$2/$name"; /bin/chmod 755 "$2/$name"
     done
     ${lastCommand}`,
  );
}

describe("The first pulumi on PATH, apart from the script of the npm package pulumi", () => {
  it.each(["3.200.0", "3.259.0-alpha.1"])("is used without a message: %s", async (version) => {
    script("node_modules/.bin/pulumi", "echo v3.250.0");
    const command = script("bin/pulumi", `echo v${version}`);
    script("next/pulumi", "echo v3.250.0");
    setPath("node_modules/.bin", "bin", "next");

    expect(await resolve()).toMatchObject({ command, source: "path", version });
    expect(messages).toEqual([]);
  });

  it.each([
    ["is too old", "echo v3.199.9", "3.199.9"],
    ["is of another major version", "echo v4.0.0", "4.0.0"],
    ["fails", "echo some detail >&2; exit 3", "some detail"],
    ["prints no version", "echo hello", "hello"],
  ])("is passed over, with the reason, when it %s", async (_case, body, reason) => {
    const bad = script("bin/pulumi", body);
    const good = script("next/pulumi", "echo v3.250.0");
    setPath("bin", "next");

    const { command, environment } = await resolve();

    expect(command).toBe(good);
    // The first pulumi and node on this PATH are this CLI and the current Node.js.
    const path = [dirname(process.execPath), dirname(good), process.env.PATH].join(delimiter);
    expect(environment.PATH).toBe(path);
    expect(messages).toEqual([expect.stringContaining(`passing over ${bad}: `)]);
    expect(messages[0]).toContain(reason);
  });

  it("is never one in a relative directory of PATH, whose files depend on where you are", async () => {
    script("here/pulumi", "echo v3.250.0");
    const command = script("bin/pulumi", "echo v3.250.0");
    const here = relative(process.cwd(), inRoot("here"));
    vi.stubEnv("PATH", [here, inRoot("bin")].join(delimiter));

    expect((await resolve()).command).toBe(command);
  });
});

it("When the installer fails, the CLI is built in the cache, and used silently the next time", async () => {
  installGo();
  vi.stubEnv("PULUMI_CLI_SOURCES", "path,installer,build");
  const ofUser = { PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "false" };
  vi.stubEnv("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "false");

  const cli = await resolve();
  const messagesOfBuild = messages.splice(0);
  const next = await resolve();

  const hosts = ["go", "nodejs", "python", "python-exec"].map((name) => `pulumi-language-${name}`);
  const programs = fs.readdirSync(dirname(cli.command)).toSorted();
  expect(programs).toEqual(["pulumi", ...hosts, "pulumi-resource-pulumi-nodejs"]);
  expect(messagesOfBuild.join("\n")).toContain("passing over official installer: ");
  expect(next).toEqual(cli);
  expect(cli.environment).toMatchObject(ofUser);
  expect(messages).toEqual([]);
  expect(fs.readFileSync(inRoot("built"), "utf8")).toBe("cli\nlanguage-hosts\n");
});

it.each([
  ["is another version", { version: "3.1.0" }, "it reports version 3.1.0"],
  ["is incomplete", { lastCommand: '[ $name = pulumi ] || /bin/rm "$2/$name"' }, "did not make"],
  ["could not be built", { lastCommand: "echo disk is full >&2; exit 1" }, "disk is full"],
])("A copy of the CLI is not kept when it %s", async (_case, go, reason) => {
  installGo(go);

  await expect(resolve()).rejects.toThrow(reason);

  expect(fs.readdirSync(cache())).toEqual([]);
});

it("PULUMI_CLI_SOURCES also limits the copies in the cache", async () => {
  installGo();
  await resolve();
  vi.stubEnv("PULUMI_CLI_SOURCES", "path,installer");

  await expect(resolve()).rejects.toThrow("build: left out by PULUMI_CLI_SOURCES");
});

it("Two processes that build the CLI at once use the same complete copy", async () => {
  installGo();

  const [cli, other] = await Promise.all([resolve(), resolve()]);

  expect(other).toEqual(cli);
  expect(fs.existsSync(cli.command)).toBe(true);
  expect(fs.readdirSync(cache())).toHaveLength(1);
});

it("A copy of the CLI that lost a file is an error that names its directory", async () => {
  installGo();
  const { command } = await resolve();
  fs.rmSync(command);

  await expect(resolve()).rejects.toThrow(join(cache(), fs.readdirSync(cache())[0] ?? ""));
});

it("Without a source of the CLI that works, one error has every attempt and a way to install the CLI", async () => {
  const old = script("bin/pulumi", "echo v3.100.0");

  const { message } = await errorOf(resolve());

  expect(message.split("\n")).toEqual([
    "There is no Pulumi CLI to run. This was tried:",
    "  - installer: left out by PULUMI_CLI_SOURCES",
    `  - ${old}: it is version 3.100.0, and this needs >=3.200.0 <4.0.0`,
    "  - build from source: there is no go on PATH",
    expect.stringMatching(/https:\/\/www\.pulumi\.com\/docs\/install\/.* Go 1\.26\.\d+ or newer/),
  ]);
});

it("The hermetic environment unsets the user's variables of Pulumi and of this package, and no other", async () => {
  vi.stubEnv("PULUMI_STACK", "a");
  vi.stubEnv("DBWEBHOOKS_API_KEY", "b");
  vi.stubEnv("MY_PULUMI_NOTE", "c");

  const environment = await hermeticEnvironment(root);

  expect(environment).toMatchObject({ PULUMI_STACK: undefined, DBWEBHOOKS_API_KEY: undefined });
  expect(Object.keys(environment).filter((key) => !/^(PULUMI|DBWEBHOOKS)_/.test(key))).toEqual([]);
});

/** Writes a CLI that counts each SIGINT, and ends on SIGTERM. */
const installCountingCli = () =>
  script(
    "bin/pulumi",
    `if (process.argv[2] === "version") process.exit(console.log("v3.250.0"));
     let count = 0;
     process.on("SIGINT", () => console.log(\`SIGINT \${(count += 1)}\`));
     process.on("SIGTERM", () => {
       console.log(\`\${count} in all\`);
       process.exit(7);
     });
     setTimeout(() => {}, 60_000);
     console.log(\`started by \${process.ppid}.\`);`,
    process.execPath,
  );
/** The PATH of this machine, on which the CLI of the test and this Node.js come first. */
const pathOfMachine = () => ({
  PATH: [inRoot("bin"), dirname(process.execPath), originalPath].join(delimiter),
});

it("Without a terminal, npm run pulumi passes a signal on to Pulumi, and exits with Pulumi's exit code", async () => {
  installCountingCli();
  // A session of its own has no terminal, even if the tests have one.
  const { child, output, result } = start("npm", ["run", "--silent", "pulumi"], {
    directory: repository,
    environment: pathOfMachine(),
    isGroupLeader: true,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await expect.poll(output).toContain("started");

  child.kill("SIGINT");
  await expect.poll(output).toContain("SIGINT");
  child.kill("SIGTERM");

  expect((await result).exitCode).toBe(7);
});

it("One ^C in a terminal reaches Pulumi once, even if all streams are redirected", async () => {
  installCountingCli();
  const file = inRoot("output");
  const command = `exec node tools/pulumi-cli/run.mts </dev/null >'${file}' 2>&1`;
  const { child, result } = start("script", argumentsOfScript(command), {
    directory: repository,
    environment: pathOfMachine(),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const output = () => (fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "");
  await expect.poll(output).toMatch(/started by \d+\./);
  const runner = Number(/started by (\d+)/.exec(output())?.[1]);

  // A terminal signals its foreground process group, which `run.mts` leads here.
  process.kill(-runner, "SIGINT");
  await expect.poll(output).toContain("SIGINT 1");
  // npm repeats the signal for `run.mts`, which handles the next one only afterwards.
  process.kill(runner, "SIGINT");
  process.kill(runner, "SIGTERM");
  await result;

  expect(output()).toContain("1 in all");
});

/** The arguments with which `script` runs a shell command on a new terminal and keeps no record. */
function argumentsOfScript(command: string): string[] {
  return process.platform === "darwin"
    ? ["-q", "/dev/null", "/bin/sh", "-c", command]
    : ["-qc", command, "/dev/null"];
}

it("Only the user can read what is in the cache", async () => {
  installGo();

  const { command } = await resolve();

  const directories = [dirname(cache()), cache(), dirname(dirname(command))];
  const permissions = directories.map((directory) => fs.statSync(directory).mode & 0o777);
  expect(permissions).toEqual([0o700, 0o700, 0o700]);
});

it("The pulumi on PATH comes before the CLI that is built for the host of a language", async () => {
  const command = script("bin/pulumi", "echo v3.250.0");
  installGo();
  vi.stubEnv("PULUMI_CLI_LANGUAGES", "python");

  const { environment } = await resolve();

  const find = (program: string) => which.sync(program, { path: environment.PATH ?? "" });
  expect(find("pulumi")).toBe(command);
  expect(dirname(dirname(dirname(find("pulumi-language-python"))))).toBe(cache());
});

it("PULUMI_CLI_SOURCES with an unknown source is an error, even beside one that works", async () => {
  script("bin/pulumi", "echo v3.250.0");
  vi.stubEnv("PULUMI_CLI_SOURCES", "path,instaler");

  await expect(resolve()).rejects.toThrow(/^PULUMI_CLI_SOURCES is path,instaler/);
});

it.each(["cli", "language-hosts"])(
  "A build of the CLI is made anew after a change of the Go module %s",
  async (module) => {
    for (const name of ["cache.mts", "pulumi-cli"]) {
      fs.cpSync(join(repository, "tools", name), inRoot(`tools/${name}`), { recursive: true });
    }
    fs.symlinkSync(join(repository, "node_modules"), inRoot("node_modules"));
    const { builtCli } = await import(inRoot("tools/pulumi-cli/build.mts"));
    const before = builtCli().directory;

    const directories = ["go.mod", "go.sum"].map((name) => {
      fs.appendFileSync(inRoot(`tools/pulumi-cli/${module}/${name}`), "\n");
      return builtCli().directory;
    });

    expect(new Set([before, ...directories]).size).toBe(3);
  },
);
