import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isReplaced } from "./bundled-modules.mts";

interface BundledPackage {
  readonly directory: string;
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

// undici contains the compiled code of llhttp, but not its licence.
const llhttp = {
  modules: /[\\/]undici[\\/]lib[\\/]llhttp[\\/]/,
  licence: join(import.meta.dirname, "llhttp-licence.txt"),
};

/** Returns the licences of the packages that these modules come from. */
export function licencesOf(modules: readonly string[]): string {
  const licences = packagesIn(modules).map(licenceOf);
  if (modules.some((module) => llhttp.modules.test(module))) {
    licences.push(`llhttp, which undici contains (MIT)\n\n${readFileSync(llhttp.licence, "utf8")}`);
  }
  return licences.join("\n");
}

/** Returns the packages that these modules come from, sorted by name. */
function packagesIn(modules: readonly string[]): BundledPackage[] {
  const bundled = modules.filter((module) => !isReplaced(module));
  const directories = bundled.map(packageDirectoryOf).filter((found) => found !== undefined);
  return [...new Set(directories)]
    .map((directory) => ({
      ...JSON.parse(readFileSync(join(directory, "package.json"), "utf8")),
      directory,
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name, "en"));
}

/** Returns the directory of the innermost package in `node_modules` that contains a module. */
function packageDirectoryOf(module: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module)?.[0];
}

function licenceOf({ directory, name, version, license }: BundledPackage): string {
  const files = readdirSync(directory).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  if (license === undefined && files.length === 0) {
    throw new Error(`${name} has neither a licence file nor a licence in its package.json`);
  }
  const texts = files.map((file) => readFileSync(join(directory, file), "utf8").trim());
  return `${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
}
