import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { expect, vi } from "vitest";

interface FaultyRequest {
  readonly contentLength: string;
  readonly body: string;
  /** What the client does after the body: nothing, unless it is given. */
  readonly end?: "end" | "resetAndDestroy";
}

const maxBodyBytes = 1024 * 1024;
const incomplete = { contentLength: "100", body: "abc" };

/**
 * Requests without a signature that a receiver survives, and the status of its response if there is
 * one.
 */
const faultyRequests: readonly (FaultyRequest & { name: string; statusCode?: number })[] = [
  { name: "a reset", ...incomplete, end: "resetAndDestroy" },
  { name: "an early end", ...incomplete, end: "end", statusCode: 400 },
  { name: "a negative length", contentLength: "-1", body: "abc", statusCode: 400 },
  { name: "a length without digits", contentLength: "abc", body: "abc", statusCode: 400 },
  { name: "a body that does not arrive", ...incomplete, statusCode: 408 },
  {
    name: "a body over 1 MiB",
    contentLength: String(maxBodyBytes + 1),
    body: "x".repeat(maxBodyBytes + 1),
    statusCode: 413,
  },
];

/** Expects a receiver to respond to faulty requests, and to verify signatures afterwards. */
export async function expectToSurviveFaultyRequests(port: number): Promise<void> {
  const unsigned = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "{}" });
    return response.status;
  };
  await vi.waitUntil(() => unsigned().catch(() => undefined), { timeout: 180_000 });

  const statusCodes = faultyRequests.map(async (request) => [
    request.name,
    await send(port, request),
  ]);

  expect(Object.fromEntries(await Promise.all(statusCodes))).toEqual(
    Object.fromEntries(faultyRequests.map(({ name, statusCode }) => [name, statusCode])),
  );
  expect(await unsigned()).toBe(401);
}

/**
 * Sends a request to a server on loopback, and returns the status of the response if there is one.
 */
async function send(
  port: number,
  { contentLength, body, end }: FaultyRequest,
): Promise<number | undefined> {
  // The response can arrive after the client has ended its side of the connection.
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  // A receiver without a timeout of its own would keep the connection, and the test, waiting.
  socket.setTimeout(30_000, () => socket.destroy());
  const received = text(socket).catch(() => "");
  socket.write(`POST / HTTP/1.1\r\nHost: receiver\r\nConnection: close\r\nContent-Length: `);
  socket.write(`${contentLength}\r\n\r\n${body}`);
  if (end !== undefined) {
    // The receiver begins to read before the connection ends.
    await setTimeout(200);
    socket[end]();
  }
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(await received) ?? [];
  socket.destroy();
  return status === undefined ? undefined : Number(status);
}
