import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { componentOf, sbomFile, sbomText } from "../sbom.mts";
import {
  nodeBinary,
  nodeVersion,
  type Platform,
  platformOfMachine,
  platforms,
} from "./node-binary.mts";

const built = join(import.meta.dirname, "../../plugin");
const name = "pulumi-resource-dbwebhooks";

/**
 * Writes the plugin for a platform into a directory: an executable with the script that `npm
 * run build` writes and Node.js, and the files beside it.
 *
 * @returns The names of the files.
 */
export async function buildExecutable(platform: Platform, directory: string): Promise<string[]> {
  const { os } = platforms[platform];
  const node = await nodeBinary(platformOfMachine());
  const program = os === "win32" ? `${name}.exe` : name;
  const output = join(directory, program);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  // https://nodejs.org/api/single-executable-applications.html
  const configuration = join(directory, "sea.json");
  const options = {
    // Relative, because the executable holds this path.
    main: name,
    executable: await nodeBinary(platform),
    output,
    disableExperimentalSEAWarning: true,
    // The cache depends on the processor and the operating system.
    useCodeCache: platform === platformOfMachine(),
    // The process holds an API key, so neither NODE_OPTIONS nor a signal may start an inspector.
    execArgv: ["--disable-sigusr1"],
    execArgvExtension: "none",
  };
  writeFileSync(configuration, JSON.stringify(options));
  execFileSync(node, ["--build-sea", configuration], {
    cwd: built,
    stdio: ["ignore", "ignore", "inherit"],
  });
  rmSync(configuration);
  // macOS on Apple silicon runs no program without a signature, and that of Node.js is invalid now.
  if (os === "darwin") {
    execFileSync("codesign", ["--force", "--sign", "-", output]);
  }

  const copied = ["LICENSE", "schema.json", "troubleshooting.md"];
  for (const file of copied) {
    copyFileSync(join(built, file), join(directory, file));
  }
  const licences = readFileSync(join(built, "THIRD-PARTY-LICENSES"), "utf8");
  // The package for Windows has no licence file.
  const licenceOfNode = readFileSync(join(dirname(node), "../LICENSE"), "utf8").trim();
  const head = `node ${nodeVersion} (MIT)`;
  writeFileSync(
    join(directory, "THIRD-PARTY-LICENSES"),
    `${licences}\n${head}\n\n${licenceOfNode}\n`,
  );
  const sbom = JSON.parse(readFileSync(join(built, sbomFile), "utf8"));
  sbom.components.push({
    ...componentOf({
      name: "node",
      version: nodeVersion,
      license: "MIT",
      purl: `pkg:generic/node@${nodeVersion}`,
    }),
    // Scanners look up the vulnerabilities of Node.js by this name.
    cpe: `cpe:2.3:a:nodejs:node.js:${nodeVersion}:*:*:*:*:*:*:*`,
  });
  writeFileSync(join(directory, sbomFile), sbomText(sbom));
  return [program, "THIRD-PARTY-LICENSES", sbomFile, ...copied];
}
