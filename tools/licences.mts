import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isReplaced } from "./bundled-modules.mts";

export interface BundledPackage {
  readonly name: string;
  /** Missing where the package does not tell it. */
  readonly version?: string;
  /** An SPDX identifier or expression. */
  readonly license: string;
  /** https://github.com/package-url/purl-spec */
  readonly purl: string;
}

interface LicensedPackage extends BundledPackage {
  readonly heading: string;
  readonly text: string;
}

// undici contains the compiled code of llhttp, but neither its licence nor its version.
const llhttp = {
  modules: /[\\/]undici[\\/]lib[\\/]llhttp[\\/]/,
  licence: join(import.meta.dirname, "llhttp-licence.txt"),
};

/** Returns the licences of the packages that these modules come from. */
export function licencesOf(modules: readonly string[]): string {
  return packagesIn(modules)
    .map(({ heading, license, text }) => `${heading} (${license})\n\n${text}\n`)
    .join("\n");
}

/** Returns the packages that these modules come from, sorted by name, and then llhttp. */
export function packagesIn(modules: readonly string[]): LicensedPackage[] {
  const bundled = modules.filter((module) => !isReplaced(module));
  const directories = bundled.map(packageDirectoryOf).filter((found) => found !== undefined);
  const packages = [...new Set(directories)]
    .map(packageIn)
    .toSorted((one, other) => one.name.localeCompare(other.name, "en"));
  if (bundled.some((module) => llhttp.modules.test(module))) {
    packages.push({
      name: "llhttp",
      license: "MIT",
      purl: "pkg:github/nodejs/llhttp",
      heading: "llhttp, which undici contains",
      text: readFileSync(llhttp.licence, "utf8").trim(),
    });
  }
  return packages;
}

/** Returns the package URL of a package on npm. */
export function npmPurl(name: string, version: string): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

/** Returns the directory of the innermost package in `node_modules` that contains a module. */
function packageDirectoryOf(module: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module)?.[0];
}

function packageIn(directory: string): LicensedPackage {
  const { name, version, license } = JSON.parse(
    readFileSync(join(directory, "package.json"), "utf8"),
  );
  if (license === undefined) {
    throw new Error(`${name} has no licence in its package.json`);
  }
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(directory, file), "utf8").trim());
  const purl = npmPurl(name, version);
  return { name, version, license, purl, heading: `${name} ${version}`, text: texts.join("\n\n") };
}
