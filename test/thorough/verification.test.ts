import { expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.ts";
import { succeed } from "../helpers/commands.ts";
import { withDirectory, writeFiles } from "../helpers/directory.ts";
import { startService } from "../helpers/local-service.ts";
import { codeBlocks, readPage, sectionOf } from "../helpers/markdown.ts";
import { startReceiver } from "../helpers/receiver.ts";

const page = readPage("docs/receive-and-verify.md");
const functions = codeBlocks(sectionOf(page, "Verify the signature"));

/** The secret of a receiver, and a request; `null`: the header is missing. */
type Case = readonly [secret: string, body: string, signature: string | null];

/** Programs that pass the cases of a file to the function of the page, and print its results. */
const programs = [
  {
    language: "ts",
    command: ["node", "main.ts"],
    programOf: (block: string) => `import { readFileSync } from "node:fs";
${block}
const cases = JSON.parse(readFileSync("cases.json", "utf8"));
const verify = ([secret, body, signature]) =>
  isSigned(secret, Buffer.from(body), signature ?? undefined);
console.log(JSON.stringify(cases.map(verify)));
`,
  },
  {
    language: "python",
    command: ["python3", "main.python"],
    programOf: (block: string) => `import json
${block}
cases = json.load(open("cases.json"))
print(json.dumps([is_signed(secret, body.encode(), given) for secret, body, given in cases]))
`,
  },
  {
    language: "go",
    command: ["go", "run", "main.go"],
    programOf: (block: string) => `package main

import (
	"encoding/json"
	"os"
)

${block}
func main() {
	var cases [][3]string
	text, _ := os.ReadFile("cases.json")
	json.Unmarshal(text, &cases)
	results := []bool{}
	for _, one := range cases {
		results = append(results, isSigned(one[0], []byte(one[1]), one[2]))
	}
	json.NewEncoder(os.Stdout).Encode(results)
}
`,
  },
];

it.each(programs)(
  "The $language function of docs/receive-and-verify.md accepts all notifications, and nothing else",
  async ({ language, command: [name = "", ...args], programOf }) => {
    const { accepted, refused } = await collectCases();
    const block = functions.find((one) => one.language === language)?.text ?? "";

    await withDirectory(async (directory) => {
      const cases = [...accepted, ...refused];
      await writeFiles(directory, { [`main.${language}`]: programOf(block), "cases.json": cases });
      const { stdout } = await succeed(name, args, { directory });

      const expected = [...accepted.map(() => true), ...refused.map(() => false)];
      expect(JSON.parse(stdout)).toEqual(expected);
    });
  },
);

/** Returns a notification of each event type as it arrives, and what is no notification. */
async function collectCases() {
  await using receiver = await startReceiver();
  const service = await startService();
  const secret = await service.subscribe(receiver.url, { events: eventTypes });
  for (const type of eventTypes) {
    await service.emit({ type, databaseId: "base_1" });
  }
  const data = { text: "Größe ✓ \u2028", tiny: 1e-7 };
  await service.emit({ type: "record.created", databaseId: "base_1", data });

  const accepted = receiver.notifications.map(({ rawBody, headers }): Case => {
    return [secret, rawBody, String(headers["x-webhook-signature"])];
  });
  const [, body = "", givenSignature] = accepted[0] ?? [];
  const signature = String(givenSignature);
  const otherSecret = "0123456789abcdef".repeat(4);
  const given = (one: string | null): Case => [secret, body, one];
  const refused: readonly Case[] = [
    [otherSecret, body, signature],
    [secret, `${body} `, signature],
    ...[null, "", signature.slice(1), `${signature}0`, `sha256=${signature}`].map(given),
    ...[signature.toUpperCase(), "ü".repeat(64), "ü".repeat(32)].map(given),
    // Python makes this of bytes that are not UTF-8.
    ...["\udce9".repeat(64), "\udce9"].map(given),
  ];
  expect(accepted).toHaveLength(eventTypes.length + 1);
  return { accepted, refused };
}
