import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { version } from "../common/version.js";
import { defaultApiKey } from "../local-service/options.js";
import type { ServeOptions } from "./serve.js";

const defaultPort = "8787";

/** The text of `--help`. */
export const help = `Usage: pulumi-dbwebhooks serve [options]

Runs the local service: the webhook API, without an account. SIGINT (^C) and SIGTERM stop it.

  --port PORT              TCP port, 0 for any free one. Default: ${defaultPort}.
  --api-key KEY            API key that the service knows. Repeatable. Default: ${defaultApiKey}.
  --no-listing             Refuses the list operation with 405.
  --deliver-to ORIGIN      Sends all notifications to this origin; paths stay as they are.
  --allow-unknown-events   Accepts event types other than the nine documented ones.

  --version                Shows the version.
  --help                   Shows this text.

Exit code: 0 stopped, 1 failed, 2 wrong usage.
`;

/** The options of `pulumi-dbwebhooks`. */
export const options = {
  port: { type: "string", default: defaultPort },
  "api-key": { type: "string", multiple: true, default: [defaultApiKey] },
  "no-listing": { type: "boolean", default: false },
  "deliver-to": { type: "string" },
  "allow-unknown-events": { type: "boolean", default: false },
  version: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} satisfies ParseArgsOptionsConfig;

/**
 * Runs `pulumi-dbwebhooks` with these arguments, and loads the local service only to serve. Wrong
 * usage sets the exit code to 2; any other error is thrown.
 */
export async function runCommandLine(
  args: readonly string[],
  startServing = loadAndServe,
): Promise<void> {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 2;
    return;
  }
  if (values.help) {
    process.stdout.write(help);
  } else if (values.version) {
    process.stdout.write(`${version}\n`);
  } else {
    const { port, "api-key": apiKeys, "deliver-to": deliverTo } = values;
    await startServing({
      port,
      apiKeys,
      listing: !values["no-listing"],
      allowUnknownEvents: values["allow-unknown-events"],
      ...(deliverTo !== undefined && { deliverTo }),
    });
  }
}

async function loadAndServe(options: ServeOptions): Promise<void> {
  const { serve } = await import("./serve.js");
  await serve(options);
}

/** Throws an error that shows no argument but the name of an option: one may be an API key. */
function parse(args: readonly string[]) {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  if (args.length === 0) {
    throw new Error(help.trimEnd());
  }
  const { help: isHelp, version: isVersion, "deliver-to": deliverTo } = values;
  const port = /^\d+$/.test(values.port) ? Number(values.port) : Number.NaN;
  if (isHelp || isVersion) {
    return { ...values, port };
  }
  if (positionals.join(" ") !== "serve") {
    throw new Error('Expected "serve" and its options, and no other argument.');
  }
  if (!(port <= 65_535)) {
    throw new Error("--port must be a number from 0 to 65535.");
  }
  if (deliverTo !== undefined && !isOrigin(deliverTo)) {
    throw new Error(
      "--deliver-to must be an origin without a path, such as http://127.0.0.1:3000.",
    );
  }
  return { ...values, port };
}

/** Whether a URL has nothing after its host and port. It may have user info. */
function isOrigin(text: string): boolean {
  const { protocol, pathname, search, hash } = URL.parse(text) ?? {};
  return /^https?:$/.test(protocol ?? "") && `${pathname}${search}${hash}` === "/";
}
