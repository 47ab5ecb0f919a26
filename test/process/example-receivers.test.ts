import { rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run, start } from "../helpers/commands.ts";
import { repository, withDirectory, writeFiles } from "../helpers/directory.ts";
import { expectToSurviveFaultyRequests } from "../helpers/faulty-requests.ts";
import { endGroup, receiverPort } from "../helpers/guide.ts";
import { startReceiver } from "../helpers/receiver.ts";
import { statusOfSigned } from "../helpers/signed-notification.ts";

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const newSecret = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;

it("examples/receiver survives faulty requests and responds to them", async () => {
  await withDirectory(async (directory) => {
    await writeFiles(directory, { secrets: secret });
    await withProgram(["examples/receiver/index.ts", "secrets"], directory, ({ port }) =>
      expectToSurviveFaultyRequests(port),
    );
  });
});

it("examples/receiver reads new secrets without a restart, so it handles each event of a rotation once", async () => {
  await withDirectory(async (directory) => {
    await writeFiles(directory, { secrets: `${secret}\n` });
    await withProgram(["examples/receiver/index.ts", "secrets"], directory, async (receiver) => {
      await expect.poll(receiver.output).toContain("Listening");
      const before = await statusOfSigned(receiver.port, secret);
      await writeFiles(directory, { "secrets.next": `${newSecret}\n` });
      await rename(join(directory, "secrets.next"), join(directory, "secrets"));
      const after = await statusOfSigned(receiver.port, newSecret);

      expect([before, after]).toEqual([204, 204]);
      expect(receiver.output().match(/evt_1/g)).toHaveLength(1);
    });
  });
});

it("examples/receiver ends with an error if the file has no valid secret", async () => {
  await withDirectory(async (directory) => {
    await writeFiles(directory, { secrets: "[secret]\n" });

    const program = join(repository, "examples/receiver/index.ts");
    const { exitCode, output } = await run("node", [program, "secrets"], { directory });

    expect(exitCode).toBe(1);
    expect(output).toMatch(/^secrets, line 1: .*\n$/);
  });
});

it("examples/receiver ends with one sentence if its port is taken", async () => {
  await using other = await startReceiver();
  const environment = { PORT: new URL(other.url).port };
  await withDirectory(async (directory) => {
    await writeFiles(directory, { secrets: secret });

    const program = join(repository, "examples/receiver/index.ts");
    const options = { directory, environment };
    const { exitCode, output } = await run("node", [program, "secrets"], options);

    expect(exitCode).toBe(1);
    expect(output).toMatch(/^The receiver cannot listen: .*\n$/);
  });
});

/** Runs a receiver in a directory, until `use` has ended. */
async function withProgram(
  [program = "", ...args]: readonly string[],
  directory: string,
  use: (receiver: { port: number; output: () => string }) => Promise<void>,
): Promise<void> {
  const port = receiverPort();
  const options = { directory, environment: { PORT: port }, isGroupLeader: true };
  const receiver = start("node", [join(repository, program), ...args], options);
  try {
    await use({ port: Number(port), output: receiver.output });
  } finally {
    endGroup(receiver);
    await receiver.result;
  }
}
