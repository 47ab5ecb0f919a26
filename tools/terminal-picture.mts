// `node tools/terminal-picture.mts`: writes docs/pictures/terminal.svg from a real run of the Pulumi CLI
// with examples/basic and the local service. Run `npm run build` first.
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { execa } from "execa";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { hermeticEnvironment } from "./pulumi-cli/environment.mts";
import { resolvePulumiCli } from "./pulumi-cli/resolve.mts";

const repository = join(import.meta.dirname, "..");
const columns = 100;
const [charWidth, lineHeight, fontSize, margin] = [7.83, 18, 13, 16];

interface Line {
  readonly text: string;
  readonly color: string;
}

const picture = await takePicture();
const file = join(repository, "docs/pictures/terminal.svg");
await mkdir(join(file, ".."), { recursive: true });
await writeFile(file, picture);
process.stdout.write(`${file}\n`);

async function takePicture(): Promise<string> {
  const cli = await resolvePulumiCli();
  await using service = await startLocalService();
  await using cleanup = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "dbwebhooks-picture-"));
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  await symlink(join(repository, "node_modules"), join(directory, "node_modules"));
  const env = {
    ...(await hermeticEnvironment(directory)),
    ...cli.environment,
    DBWEBHOOKS_BASE_URL: service.baseUrl,
    DBWEBHOOKS_API_KEY: service.apiKey,
  };
  const pulumi = async (...args: string[]) => {
    const { all } = await execa("pulumi", [...args, "--color", "never", "--non-interactive"], {
      cwd: directory,
      env,
      all: true,
    });
    return all;
  };
  const program = await readFile(join(repository, "examples/basic/index.ts"), "utf8");
  const change = ["/hooks/orders", "/hooks/new-orders"] as const;
  await writeFile(
    join(directory, "Pulumi.yaml"),
    "name: orders\nruntime: nodejs\nmain: index.ts\n",
  );
  await writeFile(join(directory, "package.json"), '{ "private": true }\n');
  await writeFile(join(directory, "index.ts"), program);
  await pulumi("stack", "init", "try");
  cleanup.defer(async () => {
    await pulumi("destroy", "--yes", "--skip-preview", "--remove");
  });

  const up = await pulumi("up", "--yes", "--skip-preview", "--suppress-progress");
  await writeFile(join(directory, "index.ts"), program.replace(...change));
  const preview = await pulumi("preview", "--suppress-progress");
  return svgOf([
    command("pulumi up --yes"),
    ...shown(up),
    { text: "", color: "" },
    command(`sed -i 's#${change.join("#")}#' index.ts`),
    command("pulumi preview"),
    ...shown(preview),
  ]);
}

function command(text: string): Line {
  return { text: `$ ${text}`, color: "#ffffff" };
}

/** Returns the output of a command in lines, without durations. */
function shown(output: string): Line[] {
  return (
    stripVTControlCharacters(output)
      .replaceAll(/ \([\d.]+m?s\)/g, "")
      .split("\n")
      // Pulumi repeats these messages below "Diagnostics".
      .filter((line) => !/^(Duration:|\s*$|.* running )/.test(line))
      .flatMap((line) => wrapped(line.trimEnd()).map((text) => ({ text, color: colorOf(line) })))
  );
}

function wrapped(line: string): string[] {
  const indentation = `${/^\s*/.exec(line)?.[0]}  `;
  const rest = (text: string): string[] => {
    const at = text.length <= columns ? -1 : text.lastIndexOf(" ", columns);
    return at < 0 ? [text] : [text.slice(0, at), ...rest(indentation + text.slice(at + 1))];
  };
  return rest(line);
}

/** Returns roughly the colour that Pulumi gives to a line. */
function colorOf(line: string): string {
  if (/Replacing webhook/.test(line)) {
    return "#f2cc60";
  }
  const [sign = ""] = /^\s*(\+-|\+\+|[+~-])/.exec(line) ?? [];
  const colors = {
    "+": "#7ee787",
    "~": "#f2cc60",
    "-": "#ff7b72",
    "+-": "#d2a8ff",
    "++": "#7ee787",
  };
  return colors[sign.trim() as keyof typeof colors] ?? "#c9d1d9";
}

function svgOf(lines: readonly Line[]): string {
  const width = Math.ceil(columns * charWidth + 2 * margin);
  const height = lines.length * lineHeight + 2 * margin;
  const texts = lines.map(
    ({ text, color }, index) =>
      `<text x="${margin}" y="${margin + (index + 1) * lineHeight - 5}" fill="${color}">${escaped(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="${fontSize}" style="white-space: pre">
<title>pulumi up creates a webhook, and a preview announces a replacement</title>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${texts.join("\n")}
</svg>
`;
}

/** Escapes a text for SVG, with spaces that every viewer keeps. */
function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(" ", "\u00a0");
}
