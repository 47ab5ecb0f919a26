import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { buildFromSource } from "../../tools/pulumi-cli/build.mts";
import { type CopySource, cacheEntryOf } from "../../tools/pulumi-cli/copies.mts";
import { pinnedVersion } from "../../tools/pulumi-cli/pins.mts";
import {
  type PulumiCli,
  PulumiCliError,
  type ResolveOptions,
  resolvePulumiCli,
} from "../../tools/pulumi-cli/resolve.mts";

let root: string;
let said: string[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "pulumi-cli-test-"));
  said = [];
});

afterEach(() => rm(root, { recursive: true, force: true }));

/** An executable shell script; uses nothing but what is built into the shell. */
async function script(directory: string, name: string, body: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, name);
  await writeFile(file, `#!/bin/sh\n${body}\n`);
  await chmod(file, 0o755);
  return file;
}

/** Directories with a `pulumi` each, as a PATH. */
async function pathWith(...bodies: string[]): Promise<string> {
  const directories = bodies.map((_, index) => join(root, `path-${index}`));
  await Promise.all(directories.map((dir, index) => script(dir, "pulumi", bodies[index] ?? "")));
  return directories.join(delimiter);
}

async function fillWithCli(directory: string, version = pinnedVersion): Promise<void> {
  const bin = join(directory, "bin");
  await script(bin, "pulumi", `echo v${version}`);
  await script(bin, "pulumi-language-nodejs", "");
  await script(bin, "pulumi-resource-pulumi-nodejs", "");
}

/** A way to a copy that counts how often it is gone. */
function copySource(
  name: CopySource["name"],
  make: CopySource["make"] = (dir) => fillWithCli(dir),
) {
  const source = {
    name,
    title: name,
    fingerprint: () => "test",
    made: 0,
    make: (...args: Parameters<CopySource["make"]>) => {
      source.made += 1;
      return make(...args);
    },
  };
  return source;
}

const failing = (name: CopySource["name"]) =>
  copySource(name, async () => {
    throw new Error(`the ${name} is broken`);
  });

function resolve(path: string, options: ResolveOptions = {}): Promise<PulumiCli> {
  return resolvePulumiCli({
    environment: { PATH: path },
    cacheDirectory: join(root, "cache"),
    say: (line) => said.push(line),
    copySources: [failing("installer"), failing("build")],
    ...options,
  });
}

const entryOf = (source: CopySource) => cacheEntryOf(source, join(root, "cache"));

describe("a pulumi on PATH", () => {
  it.each(["v3.200.0", "3.270.1", "v3.259.0-alpha.1"])(
    "is taken at %s, silently",
    async (version) => {
      const path = await pathWith(`echo ${version}`);

      const cli = await resolve(path);

      expect(cli).toMatchObject({
        command: join(path, "pulumi"),
        binDir: path,
        source: "path",
        version: version.replace("v", ""),
      });
      expect(said).toEqual([]);
    },
  );

  it.each([
    ["is too old", "echo v3.199.9", "3.199.9"],
    ["is of another major version", "echo v4.0.0", "4.0.0"],
    ["fails", "echo some detail >&2; exit 3", "exit code 3:\n    some detail"],
    ["prints something else", "echo hello", '"hello"'],
    ["hangs", "read line", "did not end within 2 s"],
  ])("is passed over, and that is said, when it %s", async (_, body, reason) => {
    const path = await pathWith(body, "echo v3.250.0");
    const [first = "", second = ""] = path.split(delimiter);

    const cli = await resolve(path, { versionLimitSeconds: 2 });

    expect(cli.command).toBe(join(second, "pulumi"));
    expect(said).toEqual([expect.stringContaining(`passing over ${join(first, "pulumi")}: `)]);
    expect(said[0]).toContain(reason);
  });

  it("comes first on the PATH it gives, before the one that was passed over", async () => {
    const path = await pathWith("exit 1", "echo v3.250.0");
    const [, second] = path.split(delimiter);

    const cli = await resolve(path);

    const [, ...directories] = cli.environment.PATH?.split(delimiter) ?? [];
    expect(directories).toEqual([second, ...path.split(delimiter)]);
  });

  it("is passed over without being run when it is the script of an npm package", async () => {
    const bin = join(root, "node_modules", ".bin");
    await script(bin, "pulumi", `echo > ${join(root, "was-run")}; echo v3.250.0`);

    await expect(resolve(bin)).rejects.toThrow("it is the script of an npm package");

    expect(await readdir(root)).not.toContain("was-run");
  });
});

describe("a copy of our own", () => {
  it("comes from the installer when there is no pulumi on PATH", async () => {
    const sources = [copySource("installer"), copySource("build")] as const;

    const cli = await resolve("", { copySources: sources });

    const { directory } = entryOf(sources[0]);
    expect(cli).toMatchObject({
      command: join(directory, "bin", "pulumi"),
      source: "installer",
      version: pinnedVersion,
      environment: {
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      },
    });
    expect(cli.environment.PATH?.split(delimiter)).toContain(join(directory, "bin"));
    expect(sources[1].made).toBe(0);
  });

  it("comes from the build when the installer fails, and that is said", async () => {
    const cli = await resolve("", { copySources: [failing("installer"), copySource("build")] });

    expect(cli.source).toBe("build");
    expect(said).toEqual(["installer: the installer is broken"]);
  });

  it("is made once and then taken silently, without another try of what failed", async () => {
    const sources = [failing("installer"), copySource("build")] as const;
    await resolve("", { copySources: sources });
    said = [];

    const cli = await resolve("", { copySources: sources });

    expect(cli.source).toBe("build");
    expect(sources.map(({ made }) => made)).toEqual([1, 1]);
    expect(said).toEqual([]);
  });

  it("leaves the user's own settings as they are", async () => {
    const environment = { PATH: "", PULUMI_SKIP_UPDATE_CHECK: "false" };

    const cli = await resolve("", { environment, copySources: [copySource("build")] });

    expect(cli.environment.PULUMI_SKIP_UPDATE_CHECK).toBe("false");
  });

  it("is made once by two calls at the same time, and the second says that it waits", async () => {
    const waiting = Promise.withResolvers<void>();
    const build = copySource("build", async (directory) => {
      await waiting.promise;
      await fillWithCli(directory);
    });
    const say = (line: string) => {
      said.push(line);
      waiting.resolve();
    };

    const clis = await Promise.all([
      resolve("", { copySources: [build], say }),
      resolve("", { copySources: [build], say }),
    ]);

    expect(build.made).toBe(1);
    expect(clis[1]).toEqual(clis[0]);
    expect(said).toEqual([expect.stringContaining("another process is getting the Pulumi CLI")]);
  });

  it("is made anew when an executable of it has been deleted", async () => {
    const build = copySource("build");
    const cli = await resolve("", { copySources: [build] });
    await rm(join(cli.binDir, "pulumi-language-nodejs"));

    await resolve("", { copySources: [build] });

    expect(build.made).toBe(2);
    expect(await readdir(cli.binDir)).toContain("pulumi-language-nodejs");
  });

  it.each([
    ["does not run", "exit 1", "exit code 1"],
    ["is another version", "echo v3.1.0", "3.1.0 in place of"],
  ])("is not kept when it %s", async (_, body, reason) => {
    const build = copySource("build", async (directory) => {
      await fillWithCli(directory);
      await script(join(directory, "bin"), "pulumi", body);
    });

    await expect(resolve("", { copySources: [build] })).rejects.toThrow(reason);

    const entry = entryOf(build).directory;
    expect(await readdir(join(root, "cache", "pulumi-cli"))).toEqual([
      entry.slice(entry.lastIndexOf("build-")).concat(".lock"),
    ]);
  });

  it("is not kept when it is incomplete", async () => {
    const build = copySource("build", async (directory) => {
      await script(join(directory, "bin"), "pulumi", `echo v${pinnedVersion}`);
    });

    await expect(resolve("", { copySources: [build] })).rejects.toThrow("pulumi-language-nodejs");
  });

  it("ends its making when it is told to", async () => {
    const cancellation = new AbortController();
    const build = copySource("build", async () => {
      cancellation.abort(new Error("enough"));
      cancellation.signal.throwIfAborted();
    });

    const resolving = resolve("", { copySources: [build], signal: cancellation.signal });

    await expect(resolving).rejects.toThrow("enough");
  });
});

describe("a machine without any way to a CLI", () => {
  it("gets one error with every attempt and what to do", async () => {
    const path = await pathWith("echo v3.100.0");

    const resolving = resolve(path);

    const error = await resolving.catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(PulumiCliError);
    expect((error as Error).message.split("\n")).toEqual([
      "There is no Pulumi CLI to run. This was tried:",
      `  - ${join(path, "pulumi")}: it is version 3.100.0, and this needs >=3.200.0 <4.0.0`,
      "  - installer: the installer is broken",
      "  - build: the build is broken",
      expect.stringContaining("https://www.pulumi.com/docs/install/"),
    ]);
  });

  it.each([
    ["there is no go", undefined, "there is no go on PATH"],
    ["go is too old", "echo go1.25.4", "it needs Go 1.26 or newer, and the go on PATH is go1.25.4"],
    ["go answers nonsense", "echo hello", 'go env GOVERSION answers "hello"'],
    ["go fails", "exit 2", "exit code 2"],
  ])("gets no build when %s", async (_, body, reason) => {
    const path = join(root, "go");
    if (body !== undefined) await script(path, "go", body);
    const context = { environment: { PATH: path }, say: () => undefined, signal: undefined };

    const building = buildFromSource(join(root, "copy"), context);

    await expect(building).rejects.toThrow(reason);
  });
});

describe("the language host of YAML", () => {
  const host = "pulumi-language-yaml";

  /** A Go that makes the host out of itself, and notes that it did. */
  async function pathWithGo(): Promise<string> {
    const directory = join(root, "go");
    await script(
      directory,
      "go",
      `[ "$1" = env ] && { echo go1.26.0; exit; }
       [ "$1" = list ] && exit
       while [ "$1" != -o ]; do shift; done
       /bin/mkdir -p "$2" && /bin/cp "$0" "$2/${host}" && echo built >> ${join(root, "builds")}`,
    );
    return [await pathWith("echo v3.250.0"), directory].join(delimiter);
  }

  it("is not there unless it is asked for", async () => {
    const path = await pathWithGo();

    const cli = await resolve(path);

    expect(cli.environment.PATH?.split(delimiter).slice(-2)).toEqual(path.split(delimiter));
    expect(await readdir(root)).not.toContain("builds");
  });

  it("is built once, and comes last on the PATH", async () => {
    const path = await pathWithGo();
    await resolve(path, { languages: ["yaml"] });
    said = [];

    const cli = await resolve(path, { languages: ["yaml"] });

    const directory = cli.environment.PATH?.split(delimiter).at(-1) ?? "";
    expect(await readdir(directory)).toEqual([host]);
    expect(await readFile(join(root, "builds"), "utf8")).toBe("built\n");
    expect(said).toEqual([]);
  });

  it("is taken as it is when the CLI has it beside it", async () => {
    const path = await pathWithGo();
    const [cliDirectory = ""] = path.split(delimiter);
    await script(cliDirectory, host, "");

    await resolve(path, { languages: ["yaml"] });

    expect(await readdir(root)).not.toContain("builds");
  });

  it.each([
    ["without Go", {}, "there is no go on PATH"],
    ["when builds are left out", { DBWEBHOOKS_PULUMI_CLI: "path" }, "leaves builds out"],
  ])("is missed with one error that says what to do %s", async (_, settings, reason) => {
    const environment = { PATH: await pathWith("echo v3.250.0"), ...settings };

    const resolving = resolve("", { environment, languages: ["yaml"] });

    const error = await resolving.catch((cause: Error) => cause);
    expect(String(error)).toContain(`There is no ${host} on PATH, and it cannot be built: `);
    expect(String(error)).toContain(reason);
    expect(String(error)).toContain("https://www.pulumi.com/docs/install/");
  });
});

describe("the language host of Python", () => {
  it("has the script beside it that runs the program", async () => {
    const [host, executor] = ["pulumi-language-python", "pulumi-language-python-exec"] as const;
    const sdk = join(root, "sdk");
    await script(join(sdk, "python/cmd"), executor, "");
    const directory = join(root, "go");
    await script(
      directory,
      "go",
      `[ "$1" = env ] && { echo go1.26.0; exit; }
       [ "$1" = list ] && { echo ${sdk}; exit; }
       while [ "$1" != -o ]; do shift; done
       /bin/mkdir -p "$2" && /bin/cp "$0" "$2/${host}"`,
    );
    const path = [await pathWith("echo v3.250.0"), directory].join(delimiter);

    const cli = await resolve(path, { languages: ["python"] });

    const bin = cli.environment.PATH?.split(delimiter).at(-1) ?? "";
    expect((await readdir(bin)).toSorted()).toEqual([host, executor]);
  });
});

describe("DBWEBHOOKS_PULUMI_CLI", () => {
  it("limits the sources to those it names", async () => {
    const environment = { PATH: await pathWith("echo v3.250.0"), DBWEBHOOKS_PULUMI_CLI: "build" };
    const sources = [copySource("installer"), copySource("build")];

    const cli = await resolve("", { environment, copySources: sources });

    expect(cli.source).toBe("build");
  });

  it("is named in the error for each source that it leaves out", async () => {
    const environment = { PATH: "", DBWEBHOOKS_PULUMI_CLI: "path, build" };

    const resolving = resolve("", { environment });

    await expect(resolving).rejects.toThrow("- installer: left out by DBWEBHOOKS_PULUMI_CLI");
  });

  it("is refused with the possible values when it names something else", async () => {
    const environment = { PATH: "", DBWEBHOOKS_PULUMI_CLI: "brew" };

    await expect(resolve("", { environment })).rejects.toThrow("it takes path, installer, build");
  });
});

describe("DBWEBHOOKS_PULUMI_LANGUAGES", () => {
  it("asks for the language hosts that it names", async () => {
    const hosts = join(root, "hosts");
    await script(hosts, "pulumi-language-go", "");
    const environment = {
      PATH: [await pathWith("echo v3.250.0"), hosts].join(delimiter),
      DBWEBHOOKS_PULUMI_LANGUAGES: "go, yaml",
      DBWEBHOOKS_PULUMI_CLI: "path",
    };

    await expect(resolve("", { environment })).rejects.toThrow("There is no pulumi-language-yaml");
  });

  it("is refused with the possible values when it names something else", async () => {
    const environment = {
      PATH: await pathWith("echo v3.250.0"),
      DBWEBHOOKS_PULUMI_LANGUAGES: "java",
    };

    await expect(resolve("", { environment })).rejects.toThrow("it takes yaml, python, go");
  });
});
