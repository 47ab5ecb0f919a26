import { chmod, readFile, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import * as z from "zod/mini";
import { problemsOfArguments, webhookAddress } from "../core/check.js";
import { normalizeInputs, secretMark } from "../core/state.js";
import { providerText, typeToken } from "../dynamic/type-token.js";
import { isStorableSecret } from "../service/bodies.js";
import { readArguments, UsageError } from "./arguments.js";
import { importFileOptions } from "./options.js";

/** `pulumi-dbwebhooks import-file`: writes what `pulumi import --file` reads. */
export async function importFile(words: readonly string[]): Promise<void> {
  const { file, resource } = readImportFileArguments(words, process.env);
  const secret = await readSecret(resource.id);
  const previous = await readImportFile(file);
  const resources = previous?.resources ?? [];
  if (resources.some(({ name }) => name === resource.name)) {
    throw new Error(
      `${file} holds a resource named ${resource.name} already. Choose another name.`,
    );
  }
  const isSame = ({ id, inputs, outputs }: ListedResource) =>
    id === resource.id &&
    inputs?.databaseId === resource.inputs.databaseId &&
    outputs?.baseUrl === resource.outputs.baseUrl;
  if (resources.some(isSame)) {
    throw new Error(
      `${file} holds webhook ${resource.id} already, and one webhook is one resource.`,
    );
  }
  // In a state the marked value is JSON itself. Source: `SecretV1` in `sdk/go/common/apitype`.
  const marked = { ...secretMark, plaintext: JSON.stringify(secret) };
  const outputs = { ...resource.outputs, secret: marked };
  const content = { ...previous, resources: [...resources, { ...resource, outputs }] };
  // The file holds secrets in clear: nobody else may read it, whoever made it.
  if (previous !== undefined) {
    await chmod(file, 0o600);
  }
  await writeFile(file, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  process.stdout.write(`Webhook ${resource.id} is in ${file}, with its secret in clear. Now run:

  pulumi import --file ${quoted(file)} --protect=false --generate-code=false
  rm ${quoted(file)}
`);
}

/** A path as one word of a shell. */
function quoted(path: string): string {
  return /^[\w./~@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

interface ImportedResource {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, unknown>>;
}

// As a file of `pulumi import` may hold it, whoever wrote it.
const listedResource = z.looseObject({
  name: z.optional(z.unknown()),
  id: z.optional(z.unknown()),
  inputs: z.optional(z.looseObject({})),
  outputs: z.optional(z.looseObject({})),
});
const importFileContent = z.looseObject({ resources: z.array(listedResource) });

type ListedResource = z.infer<typeof listedResource>;

const optionOf: Readonly<Record<string, string>> = {
  "adopt.id": "id",
  databaseId: "database",
  url: "url",
  events: "event",
  tableId: "table",
};

interface ImportFileOrder {
  readonly file: string;
  /** The resource, without its secret. */
  readonly resource: ImportedResource;
}

/** Reads the words behind `import-file`. */
export function readImportFileArguments(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): ImportFileOrder {
  const { values, positionals } = readArguments(words, importFileOptions);
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) {
    throw new UsageError("import-file takes the FILE to write. See --help.");
  }
  const { name, id, database: databaseId, url, event: events, table: tableId } = values;
  if (!name || id === undefined || databaseId === undefined || url === undefined || !events) {
    throw new UsageError(
      "import-file needs --name, --id, --database, --url and --event. See --help.",
    );
  }
  const inputs = { databaseId, url, events, ...(tableId !== undefined && { tableId }) };
  // Whether the program may declare it is found out by the program's own check.
  const lenient = { allowUnknownEvents: true, allowInsecureUrl: true, adopt: { id, secret: "?" } };
  const problems = problemsOfArguments({ ...inputs, ...lenient }).map(withOptionName);
  const baseUrl = values["base-url"] ?? environment.DBWEBHOOKS_BASE_URL;
  const address = webhookAddress.safeParse({ id: "0", databaseId: "?", baseUrl }).data;
  if (address === undefined) {
    problems.push("--base-url (or DBWEBHOOKS_BASE_URL): must be the absolute URL of the service");
  }
  if (problems.length > 0) {
    throw new UsageError(`${problems.join("\n")}\nSee --help.`);
  }
  const checked = { ...normalizeInputs(inputs), __provider: providerText };
  const outputs = { ...checked, baseUrl: address?.baseUrl };
  return { file, resource: { type: typeToken, name, id, inputs: checked, outputs } };
}

/** Names the option in place of the argument that it stands for. */
function withOptionName(problem: string): string {
  const [path = ""] = /^[^:[]+/.exec(problem) ?? [];
  const option = optionOf[path];
  return option === undefined ? problem : `--${option}${problem.slice(path.length)}`;
}

/** Reads the secret from a pipe, or from a terminal that does not show it. */
async function readSecret(id: string): Promise<string> {
  const secret = process.stdin.isTTY ? await askForSecret(id) : await text(process.stdin);
  const line = secret.replace(/\r?\n$/, "");
  if (!isStorableSecret(line) || /[\r\n]/.test(line)) {
    throw new UsageError("The secret must be one line, on standard input. See --help.");
  }
  return line;
}

async function askForSecret(id: string): Promise<string> {
  process.stderr.write(`Secret of webhook ${id} (not shown): `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await terminal.question("");
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}

/** What a file of an earlier call holds; nothing when there is no file. */
async function readImportFile(
  file: string,
): Promise<z.infer<typeof importFileContent> | undefined> {
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
  try {
    return importFileContent.parse(JSON.parse(content));
  } catch {
    // Without what the file holds.
    throw new Error(`${file} exists and is no file for pulumi import. Choose another.`);
  }
}
