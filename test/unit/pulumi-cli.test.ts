import { once } from "node:events";
import * as fs from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { generate } from "selfsigned";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { cliVersion } from "../../tools/pulumi-cli/build.mts";
import { hermeticEnvironment } from "../../tools/pulumi-cli/environment.mts";
import { resolvePulumiCli } from "../../tools/pulumi-cli/resolve.mts";
import { temporaryDirectory } from "../helpers/directory.js";

const programs = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"];
const originalPath = process.env.PATH ?? "";
let root: string;
let said: string[];

// A machine of its own: nothing on PATH but what a test puts there, no network, an empty cache.
beforeEach(() => {
  const directory = temporaryDirectory();
  root = directory.path;
  said = [];
  setEnvironment({
    PATH: file("bin"),
    HOME: root,
    XDG_CACHE_HOME: file("cache"),
    https_proxy: "http://127.0.0.1:9",
    DBWEBHOOKS_PULUMI_CLI: "path,build",
    DBWEBHOOKS_PULUMI_LANGUAGES: "",
  });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await directory.remove();
  });
});

function setEnvironment(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);
}

const file = (...names: string[]) => join(root, ...names);
const say = (line: string) => void said.push(line);
const resolve = () => resolvePulumiCli({ say });
const failure = () => resolve().then(String, String);
const built = () => fs.readFileSync(file("built"), "utf8").trimEnd().split("\n");
const inCache = () => fs.readdirSync(file("cache/pulumi-dbwebhooks/pulumi-cli"));
const pathOf = (...directories: string[]) => directories.join(delimiter);

/** Writes an executable, by default of a shell that knows nothing but what is built into it. */
function script(path: string, body: string, interpreter = "/bin/sh"): string {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, `#!${interpreter}\n${body}\n`);
  fs.chmodSync(path, 0o755);
  return path;
}

/** Puts a Go on PATH that notes what it builds, and builds programs that say this version. */
function installGo({ version = cliVersion, before = "" } = {}): void {
  script(
    file("bin/go"),
    `[ "$1" = list ] && { echo ${file("sdk")}; exit; }
     name=pulumi-\${PWD##*/}; [ $name = pulumi-cli ] && name=pulumi
     echo $name >> ${file("built")}
     while [ "$1" != -o ]; do shift; done
     /bin/mkdir -p "$2"; echo '#!/bin/sh\necho v${version}' > "$2/$name"; /bin/chmod 755 "$2/$name"
     ${before}`,
  );
}

/** Offers this script as the official installer, at its own address but behind a proxy. */
async function offerInstaller(text: string): Promise<void> {
  const { private: key, cert } = await generate([{ name: "commonName", value: "get.pulumi.com" }]);
  fs.writeFileSync(file("certificate.pem"), cert);
  const site = createTlsServer({ key, cert }, (_, response) => response.end(text));
  const proxy = createServer().listen(0, "127.0.0.1");
  proxy.on("connect", (_, socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    site.emit("connection", socket);
  });
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  setEnvironment({
    https_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    NODE_EXTRA_CA_CERTS: file("certificate.pem"),
    DBWEBHOOKS_PULUMI_CLI: "",
  });
}

describe("A pulumi on PATH", () => {
  it.each(["v3.200.0", "3.270.1", "v3.259.0-alpha.1"])(
    "is used silently at version %s",
    async (text) => {
      const command = script(file("bin/pulumi"), `echo ${text}`);

      const cli = await resolve();

      expect(cli).toMatchObject({ command, source: "path", version: text.replace("v", "") });
      expect(cli.environment).toEqual({ PATH: pathOf(dirname(process.execPath), file("bin")) });
      expect(said).toEqual([]);
    },
  );

  it.each([
    ["is too old", "echo v3.199.9", "3.199.9"],
    ["is of another major version", "echo v4.0.0", "4.0.0"],
    ["fails", "echo some detail >&2; exit 3", "some detail"],
    ["prints no version", "echo hello", "hello"],
  ])(
    "is passed over for the next one, with the reason, when it %s",
    async (_case, body, reason) => {
      const bad = script(file("bin/pulumi"), body);
      const command = script(file("next/pulumi"), "echo v3.250.0");
      const PATH = pathOf(file("bin"), file("next"));
      setEnvironment({ PATH });

      const cli = await resolve();

      const environment = { PATH: pathOf(dirname(process.execPath), file("next"), PATH) };
      expect(cli).toMatchObject({ command, environment });
      expect(said).toEqual([expect.stringContaining(`passing over ${bad}: `)]);
      expect(said[0]).toContain(reason);
    },
  );

  it("is passed over silently when it is the script of npm's package", async () => {
    script(file("node_modules/.bin/pulumi"), "echo v3.250.0");
    const command = script(file("next/pulumi"), "echo v3.250.0");
    setEnvironment({ PATH: pathOf(file("node_modules/.bin"), file("next")) });

    expect(await resolve()).toMatchObject({ command });
    expect(said).toEqual([]);
  });
});

describe("A copy of the CLI in the cache", () => {
  it("comes from the official installer, and is used silently the next time", async () => {
    installGo();
    await offerInstaller(
      `/bin/mkdir "$3/bin"; for name in ${programs.join(" ")}; do
         echo '#!/bin/sh\necho v'$5 > "$3/bin/$name"; /bin/chmod 755 "$3/bin/$name"; done`,
    );

    const cli = await resolve();

    expect(cli).toMatchObject({ source: "installer", version: cliVersion });
    expect(fs.readdirSync(dirname(cli.command)).toSorted()).toEqual(programs);
    said = [];
    expect(await resolve()).toEqual(cli);
    expect(said).toEqual([]);
    expect(fs.existsSync(file("built"))).toBe(false);
  });

  it("is built when the installer fails, and is used silently the next time", async () => {
    installGo();
    setEnvironment({ DBWEBHOOKS_PULUMI_CLI: "", PULUMI_SKIP_UPDATE_CHECK: "false" });

    const cli = await resolve();

    expect(fs.readdirSync(dirname(cli.command)).toSorted()).toEqual(programs);
    expect(cli.environment).toEqual({
      PATH: pathOf(dirname(process.execPath), dirname(cli.command), file("bin")),
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      PULUMI_SKIP_UPDATE_CHECK: "false",
    });
    expect(said).toContainEqual(expect.stringContaining("passing over official installer: "));
    said = [];
    expect(await resolve()).toEqual(cli);
    expect(said).toEqual([]);
    expect(built()).toEqual(["pulumi", "pulumi-language-nodejs"]);
  });

  it("is built once for two processes, of which the second one says that it waits", async () => {
    installGo({ before: `while [ ! -e ${file("go-on")} ]; do /bin/sleep 0.05; done` });
    const resolveWaiting = () =>
      resolvePulumiCli({
        say: (line) => line.includes("another process") && fs.writeFileSync(file("go-on"), ""),
      });

    const [one, other] = await Promise.all([resolveWaiting(), resolveWaiting()]);

    expect(other).toEqual(one);
    expect(built()).toEqual(["pulumi", "pulumi-language-nodejs"]);
  });

  it.each([
    ["does not run", { version: "1; exit 1" }, "exit code 1"],
    ["is another version", { version: "3.1.0" }, "it gave version 3.1.0"],
    ["is incomplete", { before: '[ $name = pulumi ] || /bin/rm "$2/$name"' }, "did not make"],
    ["could not be built", { before: "echo disk is full >&2; exit 1" }, "disk is full"],
  ])("is not kept when it %s", async (_, go, reason) => {
    installGo(go);

    expect(await failure()).toContain(reason);

    expect(inCache()).toEqual([expect.stringMatching(/^build-.*\.lock$/)]);
  });
});

describe("A machine without any way to a CLI", () => {
  it("gets one error with every attempt and a way to install the CLI", async () => {
    const old = script(file("bin/pulumi"), "echo v3.100.0");

    expect((await failure()).split("\n")).toEqual([
      "Error: There is no Pulumi CLI to run. This was tried:",
      "  - installer: left out by DBWEBHOOKS_PULUMI_CLI",
      `  - ${old}: it is version 3.100.0, and this needs >=3.200.0 <4.0.0`,
      "  - build from source: there is no go on PATH",
      expect.stringMatching(/https:\/\/www\.pulumi\.com\/docs\/install\/.* Go 1\.26 or newer/),
    ]);
  });

  it.each(["DBWEBHOOKS_PULUMI_CLI", "DBWEBHOOKS_PULUMI_LANGUAGES"])(
    "gets an error with the valid values of %s",
    async (name) => {
      setEnvironment({ [name]: "brew" });

      expect(await failure()).toMatch(/it takes (path, installer, build|yaml, python, go)$/);
    },
  );
});

describe("The hermetic environment", () => {
  const user = { PULUMI_STACK: "production", DBWEBHOOKS_API_KEY: "key", MY_PULUMI_NOTE: "mine" };

  it("keeps the state and Pulumi's home in its directory", async () => {
    expect(await hermeticEnvironment(root)).toMatchObject({
      PULUMI_BACKEND_URL: `file://${file("state")}`,
      PULUMI_HOME: file("home"),
    });
    expect(fs.existsSync(file("state"))).toBe(true);
  });

  it("unsets the user's variables of Pulumi and of this package, and no other", async () => {
    setEnvironment(user);

    expect({ ...user, ...(await hermeticEnvironment(root)) }).toMatchObject({
      PULUMI_STACK: undefined,
      DBWEBHOOKS_API_KEY: undefined,
      MY_PULUMI_NOTE: "mine",
    });
  });
});

describe.skipIf(process.platform === "win32")("npm run pulumi", () => {
  /** Starts `npm run pulumi`, where `pulumi` runs these lines of JavaScript. */
  function start(body: string) {
    const program = join(__dirname, "../../tools/pulumi-cli/run.mts");
    const scripts = { pulumi: `exec '${process.execPath}' '${program}'` };
    fs.writeFileSync(file("package.json"), JSON.stringify({ scripts }));
    const version = `if (process.argv[2] === "version") process.exit(console.log("v3.250.0"));`;
    if (body) script(file("bin/pulumi"), `${version}\n${body}`, process.execPath);
    const PATH = pathOf(file("bin"), dirname(process.execPath), originalPath);
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

  it("exits with the code of Pulumi, or with 128 and the number of a signal", async () => {
    expect((await start("process.exit(3)").child).exitCode).toBe(3);
    expect((await start("process.kill(process.pid, 'SIGTERM')").child).exitCode).toBe(143);
  });

  it("passes a signal to Pulumi exactly once", async () => {
    const { child, output } = start(
      `for (const signal of ["SIGINT", "SIGTERM"]) {
         process.on(signal, () => console.log(signal));
       }
       process.on("SIGUSR2", () => process.exit(7));
       const npm = require("child_process").execFileSync("ps", ["-oppid=", "-p", process.ppid]);
       setInterval(() => {}, 2 ** 31 - 1);
       console.log("ready", process.pid, String(npm).trim(), "");`,
    );
    await expect.poll(output).toContain("ready");
    const [pulumiPid = 0, npmPid = 0] = output().split(" ").slice(1, 3).map(Number);

    process.kill(npmPid, "SIGINT");
    await expect.poll(output).toContain("SIGINT");
    // A second copy of SIGINT would arrive before this signal.
    process.kill(npmPid, "SIGTERM");
    await expect.poll(output).toContain("SIGTERM");

    process.kill(pulumiPid, "SIGUSR2");
    expect((await child).exitCode).toBe(7);
    expect(output().match(/SIG\w+/g)).toEqual(["SIGINT", "SIGTERM"]);
  });

  it("ends a build with ^C and leaves nothing behind but a lock", async () => {
    const build = await startBuild();

    process.kill(build.run, "SIGINT");

    expect((await build.child).exitCode).toBe(130);
    expect(() => process.kill(build.go, 0)).toThrow("ESRCH");
    expect(inCache()).toEqual([expect.stringMatching(/\.lock$/)]);
  });

  it("builds again after a build whose process was killed", async () => {
    const build = await startBuild();
    process.kill(build.run, "SIGKILL");
    await build.child;
    expect(inCache()).toContainEqual(expect.stringMatching(/unfinished/));
    installGo();

    expect(await resolve()).toMatchObject({ source: "build" });
    expect(inCache()).not.toContainEqual(expect.stringMatching(/unfinished/));
  });

  /** Starts a build that waits until it is ended. */
  async function startBuild() {
    // Other tiers of the same run put a real Pulumi on PATH.
    setEnvironment({ DBWEBHOOKS_PULUMI_CLI: "build" });
    installGo({ before: `echo $PPID $$ > ${file("pids")}; read line` });
    fs.writeFileSync(file("pids"), "");
    const { child } = start("");
    const pids = () => fs.readFileSync(file("pids"), "utf8");
    await expect.poll(pids).toContain("\n");
    const [run = 0, go = 0] = pids().split(" ").map(Number);
    return { child, run, go };
  }
});
