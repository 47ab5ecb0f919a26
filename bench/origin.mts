import { createRequire } from "node:module";
import { availableParallelism, cpus, totalmem } from "node:os";

const require = createRequire(import.meta.url);

/** What a figure depends on, besides the code; nothing that tells whose machine it is. */
interface Machine {
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly cpu: string;
  readonly system: string;
}

/** Where and how figures came to be. */
export interface Origin {
  readonly date: string;
  readonly command: string;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
}

/** Describes the figures that the running script of this name makes. */
export function originOf(script: string, versions: Readonly<Record<string, string>> = {}): Origin {
  const args = process.argv.slice(2);
  return {
    date: new Date().toISOString().slice(0, 10),
    command: [`npm run ${script}`, ...(args.length > 0 ? ["--", ...args] : [])].join(" "),
    machine: {
      cores: availableParallelism(),
      memoryGigabytes: Math.round(totalmem() / 1024 ** 3),
      cpu: cpus()[0]?.model ?? "unknown",
      system: `${process.platform} ${process.arch}`,
    },
    versions: {
      "pulumi-dbwebhooks": versionOf("../package.json"),
      "@pulumi/pulumi": versionOf("@pulumi/pulumi/package.json"),
      ...versions,
      "Node.js": process.versions.node,
    },
  };
}

function versionOf(packageFile: string): string {
  return (require(packageFile) as { version: string }).version;
}
