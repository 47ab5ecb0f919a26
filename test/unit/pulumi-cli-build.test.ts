import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { buildLanguageHost } from "../../tools/pulumi-cli/build.mts";
import { temporaryDirectory } from "../helpers/directory.js";

const packages = Array.from({ length: 1200 }, (_, index) => `example.com/package/p${index}`);
let directory: ReturnType<typeof temporaryDirectory>;
let root: string;
let said: string[];

beforeEach(async () => {
  directory = temporaryDirectory();
  root = directory.path;
  await mkdir(join(root, "go"));
  said = [];
});

afterEach(async () => {
  vi.useRealTimers();
  await directory.remove();
});

/**
 * A Go that knows 1,200 packages and keeps what it compiles, as the build cache does. It compiles
 * until it has `stopAt` of them, and then does not end.
 */
async function installGo(stopAt = packages.length): Promise<void> {
  const go = join(root, "go", "go");
  await writeFile(join(root, "packages"), `${packages.join("\n")}\n`);
  await writeFile(
    go,
    `#!/bin/sh
[ "$1" = env ] && { echo go1.26.0; exit; }
echo "$* $GOFLAGS $GOTOOLCHAIN $GOCACHE" | /bin/sed 's/-o [^ ]*//' >> ${root}/calls
kept=$(/bin/cat ${root}/kept 2>/dev/null | /usr/bin/wc -l)
rest="/usr/bin/tail -n +$((kept + 1)) ${root}/packages"
[ "$1" = list ] && { $rest | /bin/sed s/.*/stale/; exit; }
echo 'go: downloading example.com/module v1.2.3' >&2
$rest | /usr/bin/head -n $((${stopAt} - kept)) | /usr/bin/tee -a ${root}/kept | { [ "$2" = -v ] && /bin/cat >&2 || /bin/cat; }
[ ${stopAt} -lt ${packages.length} ] && read line
while [ "$1" != -o ]; do shift; done
/bin/mkdir -p "$2" && : > "$2/pulumi-language-yaml"
`,
  );
  await chmod(go, 0o755);
}

function build(signal?: AbortSignal): Promise<void> {
  const copy = join(root, `copy-${said.length}`);
  const environment = { PATH: join(root, "go") };
  return mkdir(copy).then(() =>
    buildLanguageHost("yaml", copy, { environment, say: (line) => said.push(line), signal }),
  );
}

async function keptPackages(): Promise<string[]> {
  const text = await readFile(join(root, "kept"), "utf8").catch(() => "");
  return text.trimEnd().split("\n");
}

/** Passes time until a line says so. */
async function passTimeUntil(line: RegExp): Promise<void> {
  await expect
    .poll(() => {
      vi.advanceTimersByTime(15_000);
      return said.at(-1);
    })
    .toMatch(line);
}

describe("a build from source", () => {
  it("says how many packages of how many are compiled, and what it keeps when interrupted", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await installGo(1034);
    const interruption = new AbortController();
    const building = build(interruption.signal);
    building.catch(() => undefined);

    await passTimeUntil(/^compiled 1,034 of 1,200 packages of the language host, \d+ s$/);
    interruption.abort(new Error("enough"));

    await expect(building).rejects.toThrow("enough");
    expect(said.slice(-2)).toEqual([
      expect.stringMatching(
        /^stopped: compiled 1,034 of 1,200 packages of the language host, \d+ s$/,
      ),
      "what is compiled so far is kept: the next build goes on from there",
    ]);
  });

  it("goes on where it was when it was interrupted", async () => {
    await installGo(1034);
    const interruption = new AbortController();
    const interrupted = build(interruption.signal);
    interrupted.catch(() => undefined);
    await expect.poll(keptPackages).toHaveLength(1034);
    interruption.abort(new Error("enough"));
    await expect(interrupted).rejects.toThrow("enough");
    await installGo();

    await build();

    // Other flags or another cache would make Go compile everything again.
    const calls = (await readFile(join(root, "calls"), "utf8")).trimEnd().split(/ *\n/);
    const [list, first] = calls;
    expect(calls).toEqual([list, first, list, first]);
    expect(await keptPackages()).toEqual(packages);
    expect(said.at(-1)).toMatch(/^built in \d+ s$/);
  });

  it("says what it downloads, and that it links", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const go = join(root, "go", "go");
    const waiting = `while [ ! -e ${root}/go-on-$1 ]; do /bin/sleep 0.05; done`;
    await writeFile(
      go,
      `#!/bin/sh
[ "$1" = env ] && { echo go1.26.0; exit; }
[ "$1" = list ] && { echo 'go: downloading example.com/module v1.2.3' >&2; echo stale; }
[ "$1" = build ] && echo example.com/package >&2
${waiting}
`,
    );
    await chmod(go, 0o755);

    const building = build();

    await passTimeUntil(/^downloading the source of the language host, modules so far: 1, \d+ s$/);
    await writeFile(join(root, "go-on-list"), "");
    await passTimeUntil(/^linking the language host, all packages are compiled, \d+ s$/);
    await writeFile(join(root, "go-on-build"), "");
    await building;
  });
});
