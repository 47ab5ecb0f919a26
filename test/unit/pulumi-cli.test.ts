import * as fs from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { cliVersion } from "../../tools/pulumi-cli/build.mts";
import { hermeticEnvironment } from "../../tools/pulumi-cli/environment.mts";
import { resolvePulumiCli } from "../../tools/pulumi-cli/resolve.mts";
import { temporaryDirectory } from "../helpers/directory.js";
import { errorOf } from "../helpers/error-of.js";

const programs = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];
const originalPath = process.env.PATH ?? "";
let root: string;
let messages: string[];

// Each test has a machine of its own: PATH holds nothing but the files of the test, the cache is empty, and
// there is no network, because nothing listens on the port of the proxy.
beforeEach(() => {
  const directory = temporaryDirectory();
  root = directory.path;
  messages = [];
  setEnvironment({
    PATH: inRoot("bin"),
    HOME: root,
    XDG_CACHE_HOME: inRoot("cache"),
    https_proxy: "http://127.0.0.1:9",
    DBWEBHOOKS_PULUMI_CLI: "path,build",
    DBWEBHOOKS_PULUMI_LANGUAGES: "",
  });
  onTestFinished(() => directory.remove());
});

function setEnvironment(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);
}

const inRoot = (...names: string[]) => join(root, ...names);
const resolve = () => resolvePulumiCli({ say: (line) => void messages.push(line) });
const builtPrograms = () => fs.readFileSync(inRoot("built"), "utf8").trimEnd().split("\n");
const filesInCache = () => fs.readdirSync(inRoot("cache/pulumi-dbwebhooks/pulumi-cli"));
const searchPath = (...directories: string[]) => directories.join(delimiter);

/** Writes an executable script. By default it runs in a shell that finds only what is on PATH. */
function script(path: string, body: string, interpreter = "/bin/sh"): string {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, `#!${interpreter}\n${body}\n`);
  fs.chmodSync(path, 0o755);
  return path;
}

/**
 * Puts a Go on PATH that records each program to build, and writes a script in its place that prints this
 * version. It derives the program's name from its directory: `cli` for pulumi, or one such as `language-nodejs`.
 */
function installGo({ version = cliVersion, lastCommand = "" } = {}): void {
  script(
    inRoot("bin/go"),
    `name=pulumi-\${PWD##*/}; [ $name = pulumi-cli ] && name=pulumi
     echo $name >> ${inRoot("built")}
     while [ "$1" != -o ]; do shift; done
     /bin/mkdir -p "$2"; echo '#!/bin/sh\necho v${version}' > "$2/$name"; /bin/chmod 755 "$2/$name"
     ${lastCommand}`,
  );
}

describe("A pulumi on PATH", () => {
  it.each(["v3.200.0", "v3.259.0-alpha.1"])("is used without a message: %s", async (version) => {
    const command = script(inRoot("bin/pulumi"), `echo ${version}`);

    const cli = await resolve();

    expect(cli).toEqual({
      command,
      source: "path",
      version: version.replace("v", ""),
      environment: { PATH: searchPath(dirname(process.execPath), inRoot("bin")) },
    });
    expect(messages).toEqual([]);
  });

  it.each([
    ["is too old", "echo v3.199.9", "3.199.9"],
    ["is of another major version", "echo v4.0.0", "4.0.0"],
    ["fails", "echo some detail >&2; exit 3", "some detail"],
    ["prints no version", "echo hello", "hello"],
  ])("is passed over, with the reason, when it %s", async (_case, body, reason) => {
    const bad = script(inRoot("bin/pulumi"), body);
    const good = script(inRoot("next/pulumi"), "echo v3.250.0");
    const PATH = searchPath(inRoot("bin"), inRoot("next"));
    setEnvironment({ PATH });

    const cli = await resolve();

    expect(cli.command).toBe(good);
    expect(cli.environment.PATH).toBe(searchPath(dirname(process.execPath), inRoot("next"), PATH));
    expect(messages).toEqual([expect.stringContaining(`passing over ${bad}: `)]);
    expect(messages[0]).toContain(reason);
  });

  it("is passed over without a message when it is the script of the npm package pulumi", async () => {
    script(inRoot("node_modules/.bin/pulumi"), "echo v3.250.0");
    const good = script(inRoot("next/pulumi"), "echo v3.250.0");
    setEnvironment({ PATH: searchPath(inRoot("node_modules/.bin"), inRoot("next")) });

    expect((await resolve()).command).toBe(good);
    expect(messages).toEqual([]);
  });
});

describe("A copy of the CLI in the cache", () => {
  it("is built when the installer fails, and is used without a message the next time", async () => {
    installGo();
    setEnvironment({ DBWEBHOOKS_PULUMI_CLI: "path,installer,build" });

    const cli = await resolve();
    const messagesOfBuild = messages.splice(0);
    const next = await resolve();

    expect(fs.readdirSync(dirname(cli.command)).toSorted()).toEqual(programs);
    expect(messagesOfBuild).toContainEqual(
      expect.stringContaining("passing over official installer: "),
    );
    expect(next).toEqual(cli);
    expect(messages).toEqual([]);
    expect(builtPrograms()).toEqual(["pulumi", "pulumi-language-nodejs"]);
  });

  it("gets no update check and no plugin download, unless the user has set their variables", async () => {
    installGo();
    setEnvironment({ PULUMI_SKIP_UPDATE_CHECK: "false" });

    const { environment, command } = await resolve();

    expect(environment).toEqual({
      PATH: searchPath(dirname(process.execPath), dirname(command), inRoot("bin")),
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_SKIP_UPDATE_CHECK: "false",
    });
  });

  it.each([
    ["is another version", { version: "3.1.0" }, "it reports version 3.1.0"],
    ["is incomplete", { lastCommand: '[ $name = pulumi ] || /bin/rm "$2/$name"' }, "did not make"],
    ["could not be built", { lastCommand: "echo disk is full >&2; exit 1" }, "disk is full"],
  ])("is not kept when it %s", async (_case, go, reason) => {
    installGo(go);

    await expect(resolve()).rejects.toThrow(reason);

    expect(filesInCache()).toEqual([expect.stringMatching(/^build-.*\.lock$/)]);
  });
});

describe("A machine on which no source of the CLI works", () => {
  it("leads to one error with every attempt and a way to install the CLI", async () => {
    const old = script(inRoot("bin/pulumi"), "echo v3.100.0");

    const { message } = await errorOf(resolve());

    expect(message.split("\n")).toEqual([
      "There is no Pulumi CLI to run. This was tried:",
      "  - installer: left out by DBWEBHOOKS_PULUMI_CLI",
      `  - ${old}: it is version 3.100.0, and this needs >=3.200.0 <4.0.0`,
      "  - build from source: there is no go on PATH",
      expect.stringMatching(/https:\/\/www\.pulumi\.com\/docs\/install\/.* Go 1\.26 or newer/),
    ]);
  });
});

describe("The hermetic environment", () => {
  it("unsets the user's variables of Pulumi and of this package, and no other", async () => {
    setEnvironment({ PULUMI_STACK: "a", DBWEBHOOKS_API_KEY: "b", MY_PULUMI_NOTE: "c" });

    const environment = await hermeticEnvironment(root);

    expect(environment).toMatchObject({ PULUMI_STACK: undefined, DBWEBHOOKS_API_KEY: undefined });
    expect(environment).not.toHaveProperty("MY_PULUMI_NOTE");
  });
});

describe.skipIf(process.platform === "win32")("npm run pulumi", () => {
  /** Starts `npm run pulumi`, and collects what it prints. */
  function start() {
    const program = join(__dirname, "../../tools/pulumi-cli/run.mts");
    const scripts = { pulumi: `exec '${process.execPath}' '${program}'` };
    fs.writeFileSync(inRoot("package.json"), JSON.stringify({ scripts }));
    const PATH = searchPath(inRoot("bin"), dirname(process.execPath), originalPath);
    const env = { PATH, SHELL: "/bin/sh", INIT_CWD: undefined, npm_lifecycle_event: undefined };
    const options = { cwd: root, env, all: true, reject: false, killDescendants: true } as const;
    const child = execa("npm", ["run", "--silent", "pulumi"], options);
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    child.all.on("data", (text) => {
      output += text;
    });
    return { child, output: () => output };
  }

  /** Puts a Pulumi on PATH that runs these lines of JavaScript. */
  function installPulumi(body: string): void {
    const version = `if (process.argv[2] === "version") process.exit(console.log("v3.250.0"));`;
    script(inRoot("bin/pulumi"), `${version}\n${body}`, process.execPath);
  }

  it.each([
    { exitCode: 3, cause: "Pulumi does", body: "process.exit(3)" },
    { exitCode: 143, cause: "SIGTERM ends Pulumi", body: "process.kill(process.pid, 'SIGTERM')" },
  ])("exits with $exitCode when $cause", async ({ body, exitCode }) => {
    installPulumi(body);

    expect((await start().child).exitCode).toBe(exitCode);
  });

  it("passes a signal to Pulumi exactly once", async () => {
    // This Pulumi prints each signal, and ends with SIGUSR2. npm is the parent of its parent.
    installPulumi(
      `for (const signal of ["SIGINT", "SIGTERM"]) {
         process.on(signal, () => console.log(signal));
       }
       process.on("SIGUSR2", () => process.exit(7));
       setInterval(() => {}, 2 ** 31 - 1);
       const npmPid = require("child_process").execFileSync("ps", ["-oppid=", "-p", process.ppid]);
       console.log(JSON.stringify({ pulumiPid: process.pid, npmPid: Number(npmPid) }));`,
    );
    const { child, output } = start();
    await expect.poll(output).toContain("}");
    const { pulumiPid, npmPid } = JSON.parse(output());

    process.kill(npmPid, "SIGINT");
    await expect.poll(output).toContain("SIGINT");
    // A second copy of SIGINT would arrive before this signal.
    process.kill(npmPid, "SIGTERM");
    await expect.poll(output).toContain("SIGTERM");

    process.kill(pulumiPid, "SIGUSR2");
    expect((await child).exitCode).toBe(7);
    expect(output().match(/SIG\w+/g)).toEqual(["SIGINT", "SIGTERM"]);
  });

  it("ends a build with SIGINT and leaves nothing behind but a lock", async () => {
    // When all test projects run, their set-up puts a real Pulumi on PATH.
    setEnvironment({ DBWEBHOOKS_PULUMI_CLI: "build" });
    fs.writeFileSync(inRoot("pids"), "");
    const neverEnd = "read line";
    installGo({ lastCommand: `echo $PPID $$ > ${inRoot("pids")}; ${neverEnd}` });
    const { child } = start();
    const pids = () => fs.readFileSync(inRoot("pids"), "utf8");
    await expect.poll(pids).toContain("\n");
    const [runPid = 0, goPid = 0] = pids().split(" ").map(Number);

    process.kill(runPid, "SIGINT");

    expect((await child).exitCode).toBe(130);
    expect(() => process.kill(goPid, 0)).toThrow("ESRCH");
    expect(filesInCache()).toEqual([expect.stringMatching(/\.lock$/)]);
  });
});
