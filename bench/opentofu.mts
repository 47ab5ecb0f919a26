import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { makeCopy, userCacheDirectory } from "../tools/pulumi-cli/cache.mts";
import type { Contender, Project, ProjectOptions, Step } from "./project.mts";

const modules = {
  tofu: { path: "github.com/opentofu/opentofu", version: "v1.10.10", main: "./cmd/tofu" },
  provider: {
    path: "github.com/Mastercard/terraform-provider-restapi",
    version: "v1.20.0",
    main: ".",
  },
};

const providerName = "terraform-provider-restapi";

/** What is measured as OpenTofu. */
export const openTofuVersions = {
  opentofu: modules.tofu.version,
  [providerName]: modules.provider.version,
};

const commands: Readonly<Record<Step, readonly string[]>> = {
  up: ["apply", "-refresh=false"],
  "no-op up": ["apply", "-refresh=false"],
  refresh: ["apply", "-refresh-only"],
  destroy: ["destroy", "-refresh=false"],
};

/** OpenTofu with a generic REST provider, built from source on first use. */
export async function openTofu(): Promise<Contender> {
  const directory = join(
    userCacheDirectory(),
    "opentofu",
    Object.values(openTofuVersions).join("-"),
  );
  const copy = { title: "OpenTofu", directory, programs: ["tofu", providerName], make: build };
  await makeCopy(copy, { say, signal: new AbortController().signal });
  return {
    name: "opentofu",
    open: (options) => openProject(directory, options),
  };
}

async function build(directory: string): Promise<void> {
  say("building OpenTofu and its provider from source, once for this machine: about 5 minutes");
  for (const { path, version, main } of Object.values(modules)) {
    const module = `${path}@${version}`;
    const { Dir } = JSON.parse(await go(["mod", "download", "-json", module], directory));
    // Go honours the module's own replacements only where it is the main module.
    const copy = join(directory, "source");
    await cp(Dir, copy, { recursive: true });
    await go(["build", "-modcacherw", "-o", `${directory}/`, main], copy);
    await execa("chmod", ["-R", "u+w", copy]);
    await execa("rm", ["-r", copy]);
  }
}

async function go(args: readonly string[], cwd: string): Promise<string> {
  const env = { GOTOOLCHAIN: "local", GOFLAGS: "-buildvcs=false", GOWORK: "off" };
  const { stdout } = await execa("go", args, { cwd, env });
  return stdout;
}

async function openProject(
  binDirectory: string,
  { root, count, service }: ProjectOptions,
): Promise<Project> {
  const directory = join(root, "program");
  await mkdir(directory, { recursive: true });
  const configuration = join(root, "tofu.rc");
  await writeFile(
    configuration,
    `provider_installation {
  dev_overrides { "Mastercard/restapi" = ${JSON.stringify(binDirectory)} }
}
`,
  );
  await writeFile(join(directory, "main.tf"), programText(count, service));
  return {
    directory,
    environment: { ...process.env, TF_CLI_CONFIG_FILE: configuration, CHECKPOINT_DISABLE: "1" },
    command: (step) => [
      join(binDirectory, "tofu"),
      ...commands[step],
      "-auto-approve",
      "-input=false",
      "-no-color",
    ],
    isProvider: (commandLine) => commandLine.includes(providerName),
    stateFile: join(directory, "terraform.tfstate"),
  };
}

// Reading goes through the list: there is no other way to read, and the interface itself shows none.
const programText = (count: number, { baseUrl, apiKey }: ProjectOptions["service"]) => `terraform {
  required_providers {
    restapi = { source = "Mastercard/restapi" }
  }
}

provider "restapi" {
  uri                   = "${baseUrl}"
  create_returns_object = true
  headers = {
    "Authorization" = "Bearer ${apiKey}"
    "Content-Type"  = "application/json"
  }
}

resource "restapi_object" "hook" {
  count     = ${count}
  path      = "/api/v1/bases/base_abc123/webhooks"
  read_path = "/api/v1/bases/base_abc123/webhooks"
  read_search = {
    results_key  = "webhooks"
    search_key   = "url"
    search_value = "https://example.com/hooks/\${count.index}"
  }
  data = jsonencode({
    url    = "https://example.com/hooks/\${count.index}"
    events = ["record.created", "record.updated"]
  })
}
`;

function say(line: string): void {
  process.stderr.write(`opentofu: ${line}\n`);
}
