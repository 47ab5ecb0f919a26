// Draws what Pulumi prints in `npm start`, as an SVG that GitHub and npm show:
// npm start | npx node tools/picture.mts > docs/images/pulumi-up.svg
import { text } from "node:stream/consumers";
import { steps } from "./demo-output.mts";

const fontSize = 13;
const lineHeight = 19;
const columns = 100;
const margin = 16;
// The widest monospace fonts have characters of 0.61 em.
const width = Math.ceil(columns * fontSize * 0.61) + 2 * margin;

const demo = await text(process.stdin);
const lines = [
  "$ pulumi up",
  ...pulumiOutputOf(steps.create),
  "",
  "$ pulumi preview    # after a change of the URL",
  ...pulumiOutputOf(steps.change),
].flatMap((line) => wrap(line).map((text) => ({ text, color: colorOf(line) })));
const height = lines.length * lineHeight + 2 * margin;
process.stdout.write(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>Output of pulumi up and pulumi preview</title>
<rect width="100%" height="100%" rx="8" fill="#1b1f27"/>
<g fill="#d5dae3" font-family="monospace" font-size="${fontSize}">
${lines.map(draw).join("\n")}
</g>
</svg>
`);

/**
 * Returns the lines that Pulumi prints in one step of the demo, without empty ones and the progress
 * of resources.
 */
function pulumiOutputOf(title: string): string[] {
  const step = demo.split(/^\[\d+ of \d+\] /m).find((part) => part.startsWith(title));
  const output = step?.match(/(?<=^ {4}\| ).*\S/gm);
  if (output == null) {
    throw new Error(`The input has no output of the step "${title}".`);
  }
  return output.filter((line) => !/^ [ +-]{2} pulumi/.test(line));
}

/** Breaks a line between words, and indents the rest like the line itself. */
function wrap(line: string): string[] {
  const end = line.lastIndexOf(" ", columns);
  const indentation = /^ */.exec(line)?.[0] ?? "";
  return line.length <= columns || end <= indentation.length
    ? [line]
    : [line.slice(0, end), ...wrap(indentation + line.slice(end + 1))];
}

function draw(line: { text: string; color: string }, index: number): string {
  // A browser ignores xml:space on an element around the text.
  const escaped = line.text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const y = margin + lineHeight * (index + 0.75);
  return `<text x="${margin}" y="${y}"${line.color} xml:space="preserve">${escaped}</text>`;
}

function colorOf(line: string): string {
  if (line.startsWith("$")) {
    return ' fill="#8ab4f8"';
  }
  if (/^ *(\+-|warning:)/.test(line)) {
    return ' fill="#e5b567"';
  }
  return /^ *\+ |\[secret\]/.test(line) ? ' fill="#8fce88"' : "";
}
