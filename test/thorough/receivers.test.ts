import { createHmac } from "node:crypto";
import { cp, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run, start } from "../helpers/commands.ts";
import { repository, withDirectory, writeFiles } from "../helpers/directory.ts";
import { expectToSurviveFaultyRequests } from "../helpers/faulty-requests.ts";
import { endGroup, receiverPort } from "../helpers/guide.ts";
import { startService } from "../helpers/local-service.ts";
import { codeBlocks, readPage } from "../helpers/markdown.ts";
import { invalidBodies, invalidEntries, statusOfSigned } from "../helpers/signed-notification.ts";

const blocks = codeBlocks(readPage("examples/receiver/README.md")).map(({ text }) => text);
const newSecret = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;

// The tiers unit and process test the receiver in TypeScript, and guides.test.ts runs its commands.
it.each([
  { file: "receiver.py", command: "python receiver/receiver.py", workingDirectory: "." },
  { file: "main.go", command: "go run .", workingDirectory: "receiver" },
])(
  "The receiver $file starts as examples/receiver/README.md says, and behaves like that in TypeScript",
  async ({ file, command, workingDirectory }) => {
    const port = Number(receiverPort());
    const address = `http://127.0.0.1:${port}`;
    const service = await startService({ deliverTo: address });
    const secret = await service.subscribe("https://example.com/hooks/orders");
    await withDirectory(async (directory) => {
      const copy = join(directory, "receiver");
      await cp(join(repository, "examples/receiver"), copy, { recursive: true });
      const source = await readFile(join(copy, file), "utf8");
      await writeFiles(copy, { [file]: source.replace("9000", String(port)) });
      await writeFiles(directory, { secrets: secret, invalid: "[secret]\n" });
      const environment = {
        SECRETS: join(directory, "secrets"),
        INVALID: join(directory, "invalid"),
        npm_config_prefer_offline: "true",
      };
      const documented = blocks.find((text) => text.includes(command)) ?? "";
      const [startLine = "false"] = /^.*"\$SECRETS"$/m.exec(documented) ?? [];
      const withInvalidFile = `! ${startLine.replace("SECRETS", "INVALID")}`;
      const commands = documented.replace(startLine, () => `${withInvalidFile}\n${startLine}`);
      const options = { directory, environment, isGroupLeader: true };
      const receiver = start("bash", ["-euc", commands], options);
      try {
        await expectToSurviveFaultyRequests(port);

        const event = { type: "record.created", databaseId: "base_1", id: "evt_1" } as const;
        const emitted = [await service.emit(event), await service.emit(event)];
        const before = await statusOfSigned(port, newSecret);
        const withInvalid = [];
        for (const entry of invalidEntries) {
          await writeFiles(directory, { secrets: `${entry}\n${newSecret}\n` });
          withInvalid.push([
            await statusOfSigned(port, secret),
            await statusOfSigned(port, newSecret),
            await statusOfForged(address, entry.replace("whsec_", "")),
          ]);
        }
        await writeFiles(directory, { "secrets.next": `${newSecret} ${secret}\n` });
        await rename(join(directory, "secrets.next"), join(directory, "secrets"));
        const during = [await statusOfSigned(port, secret), await statusOfSigned(port, newSecret)];
        const ofInvalidBodies = [];
        for (const body of invalidBodies) {
          ofInvalidBodies.push(await statusOfSigned(port, newSecret, body));
        }
        const second = await run("bash", ["-euc", startLine], {
          directory: join(directory, workingDirectory),
          environment,
        });

        expect(emitted, receiver.output()).toMatchObject([
          { deliveries: [{ delivered: true }] },
          { deliveries: [{ delivered: true }] },
        ]);
        expect({ before, withInvalid, during, ofInvalidBodies }, receiver.output()).toEqual({
          before: 401,
          withInvalid: invalidEntries.map(() => [204, 401, 401]),
          during: [204, 204],
          ofInvalidBodies: invalidBodies.map(() => 400),
        });
        expect(second.exitCode).toBe(1);
        // Go adds the time, and `go run` the exit code.
        expect(second.output).toMatch(
          /^(?:\S+ \S+ )?The receiver cannot listen: .*\n(?:exit status 1\n)?$/,
        );
        expect(receiver.output()).toContain(`${environment.INVALID}, line 1: `);
        expect(receiver.output()).toContain(`${environment.SECRETS}, line 1: `);
        expect(receiver.output().match(/^record\.created evt_1/gm)).toHaveLength(1);
      } finally {
        endGroup(receiver);
        await receiver.result;
      }
    });
  },
);

/**
 * Sends a receiver a notification that is signed with what a lenient decoder makes of this base64.
 */
async function statusOfForged(address: string, base64: string): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = '{"id":"evt_2"}';
  const signature = createHmac("sha256", Buffer.from(base64, "base64"))
    .update(`evt_2.${timestamp}.${body}`)
    .digest("base64");
  const headers = {
    "webhook-id": "evt_2",
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
  return (await fetch(address, { method: "POST", headers, body })).status;
}
