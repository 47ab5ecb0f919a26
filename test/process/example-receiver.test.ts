import { once } from "node:events";
import { rename } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { run, start } from "../helpers/commands.ts";
import { repository, withDirectory, writeFiles } from "../helpers/directory.ts";
import { endGroup, receiverPort } from "../helpers/guide.ts";
import { startReceiver } from "../helpers/receiver.ts";
import { signedHeaders } from "../helpers/signed-notification.ts";

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const newSecret = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;

interface FaultyRequest {
  readonly contentLength: string;
  readonly body: string;
  /** What the client does after the body. Default: nothing. */
  readonly end?: "end" | "resetAndDestroy";
}

const maxBodyBytes = 1024 * 1024;
const incomplete = { contentLength: "100", body: "abc" };

it("examples/receiver responds to faulty requests, and keeps on receiving", async () => {
  await withDirectory(async (directory) => {
    await writeFiles(directory, { secrets: secret });
    await withProgram(["examples/receiver/index.ts", "secrets"], directory, async (receiver) => {
      await expect.poll(receiver.output).toContain("Listening");
      const responseTo = (request: FaultyRequest) => statusOfFaulty(receiver.port, request);

      const statusCodes = await Promise.all([
        responseTo({ ...incomplete, end: "resetAndDestroy" }),
        responseTo({ ...incomplete, end: "end" }),
        responseTo({ contentLength: "-1", body: "abc" }),
        responseTo({ contentLength: "abc", body: "abc" }),
        // The rest of the body does not arrive.
        responseTo(incomplete),
        responseTo({
          contentLength: String(maxBodyBytes + 1),
          body: "x".repeat(maxBodyBytes + 1),
        }),
      ]);

      expect(statusCodes).toEqual([undefined, 400, 400, 400, 408, 413]);
      expect(await statusOfSigned(receiver.port, newSecret)).toBe(401);
      expect(await statusOfSigned(receiver.port, secret)).toBe(204);
    });
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

/** Sends a request without a signature, and returns the status of the response if there is one. */
async function statusOfFaulty(
  port: number,
  { contentLength, body, end }: FaultyRequest,
): Promise<number | undefined> {
  // The response can arrive after the client has ended its side of the connection.
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  // A receiver without a timeout of its own would keep the connection, and the test, waiting.
  socket.setTimeout(30_000, () => socket.destroy());
  const received = text(socket).catch(() => "");
  socket.write("POST / HTTP/1.1\r\nHost: receiver\r\nConnection: close\r\n");
  socket.write(`Content-Length: ${contentLength}\r\n\r\n${body}`);
  if (end !== undefined) {
    // The receiver begins to read before the connection ends.
    await setTimeout(200);
    socket[end]();
  }
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(await received) ?? [];
  socket.destroy();
  return status === undefined ? undefined : Number(status);
}

/** Sends an event to a receiver, signed with a secret, and returns the status of the response. */
async function statusOfSigned(port: number, secret: string): Promise<number> {
  const id = "evt_1";
  const body = JSON.stringify({ id, type: "record.created", data: {} });
  const headers = signedHeaders(secret, { id, body });
  return (await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body })).status;
}
