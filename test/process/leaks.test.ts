import type { ServiceError } from "@grpc/grpc-js";
import { Status } from "@pulumi/pulumi/proto/status_pb.js";
import { describe, expect, it } from "vitest";
import { apiKey, secret, someArgs } from "../helpers/builders.js";
import { startServer } from "../helpers/http-server.js";
import { answers as allAnswers, bodies, expectNoLeak, url } from "../helpers/leaks.js";
import { partialCreationOf } from "../helpers/shells/grpc-provider.js";
import type { RunningShell, Shell } from "../helpers/shells/shell.js";
import { shells } from "../helpers/shells/shells.js";

const webhook = { databaseId: "base_abc123", id: 17 };
const inputs = someArgs({ url });

// Each status once, and each body in a success and in an error: the unit tier has all pairs.
const answers = allAnswers.filter(
  ([statusCode, name]) => name === bodies[0]?.[0] || [200, 400].includes(statusCode),
);

/** Everything that a shell has said when it has ended. */
async function textsOf(
  shell: Shell,
  baseUrl: string,
  use: (running: RunningShell) => Promise<unknown>,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ texts: string[]; errors: readonly ServiceError[] }> {
  const config = {
    "dbwebhooks:baseUrl": baseUrl,
    "dbwebhooks:apiKey": apiKey,
    "dbwebhooks:retrySeconds": "0",
    "dbwebhooks:maxConcurrentRequests": "1",
    "dbwebhooks:listing": "true",
  };
  const running = await shell.start(config, environment);
  await (async () => {
    await using _ = running;
    await use(running);
  })();
  const { errors } = running.process;
  return { texts: [...running.lines(), ...errors.flatMap(textsOfError)], errors };
}

/** All that arrives of an error, but for the state that Pulumi is to store. */
function textsOfError(error: ServiceError): string[] {
  const { metadata, message, details, stack = "" } = error;
  const [bytes] = metadata.get("grpc-status-details-bin");
  const status = bytes instanceof Buffer ? Status.deserializeBinary(bytes) : undefined;
  const rest = metadata.clone();
  rest.remove("grpc-status-details-bin");
  return [
    message,
    details,
    stack,
    JSON.stringify(rest),
    status?.getMessage() ?? "",
    ...(partialCreationOf(error)?.getReasonsList() ?? []),
  ];
}

describe.each(shells)("$name shows nothing sensitive", (shell) => {
  it("of whatever the service answers to a creation", async () => {
    await using server = await startServer(...answers.map(([, , answer]) => answer));

    const { texts, errors } = await textsOf(shell, server.url, async (running) => {
      for (const _ of answers) {
        // One after the other; a creation in doubt asks for the list, which is answered alike.
        await running.create(inputs);
      }
    });

    expectNoLeak(texts);
    expect(errors).toHaveLength(answers.length);
  });

  it("of whatever the service answers to a deletion", async () => {
    const failing = answers.filter(([statusCode]) => statusCode >= 300);
    await using server = await startServer(...failing.map(([, , answer]) => answer));
    const state = { ...inputs, secret, baseUrl: server.url };

    const { texts, errors } = await textsOf(shell, server.url, async (running) => {
      for (const _ of failing) {
        await running.delete(shell.idOf(webhook), state);
      }
    });

    expectNoLeak(texts);
    expect(errors).toHaveLength(failing.length);
  });

  it("of whatever the service answers to a refresh", async () => {
    await using server = await startServer(...answers.map(([, , answer]) => answer));

    const { texts } = await textsOf(shell, server.url, async (running) => {
      for (const [at] of answers.entries()) {
        // A database each, because one list serves a whole run.
        const databaseId = `base_${at}`;
        const state = { ...inputs, databaseId, secret, baseUrl: server.url };
        await running.read(shell.idOf({ ...webhook, databaseId }), state);
      }
    });

    expectNoLeak(texts);
    expect(texts.join("\n")).toContain("could be looked up");
  });

  it("when a deletion that undoes a creation fails too, whatever the service answers", async () => {
    const served = bodies.flatMap(([, body]) => [{ body: { id: 17 } }, { statusCode: 400, body }]);
    await using server = await startServer(...served);

    const { texts, errors } = await textsOf(shell, server.url, async (running) => {
      for (const _ of bodies) {
        await running.create(inputs);
      }
    });

    expectNoLeak(texts);
    expect(errors.map((error) => partialCreationOf(error)?.getId())).toEqual(
      bodies.map(() => shell.idOf(webhook)),
    );
  });

  it("of arguments, of the state and of a replacement", async () => {
    const wrong = {
      databaseId: { url },
      url: `${url} `,
      events: [url, secret],
      tableId: [secret],
      adopt: { id: secret, secret: "", [secret.slice(0, 5)]: apiKey },
    };

    const { texts } = await textsOf(shell, "https://tables.example.com", async (running) => {
      const { failures } = await running.check(wrong);
      expectNoLeak(failures);
      expect(failures).toHaveLength(8);
      const state = { ...inputs, secret, baseUrl: "https://tables.example.com" };
      await running.diff(shell.idOf(webhook), state, someArgs({ url: `${url}x` }));
    });

    expectNoLeak(texts);
    expect(texts.join("\n")).toContain("Replacing webhook 17");
  });
});

describe("An import through the plugin shows nothing sensitive", () => {
  it.each([secret, JSON.stringify({ "base_abc123/18": secret }), `{"base_abc123/17":"${secret}"`])(
    "of the variable, whatever the service answers: %#",
    async (variable) => {
      const [, nativeShell] = shells as [Shell, Shell];
      await using server = await startServer(...answers.map(([, , answer]) => answer));

      const { texts, errors } = await textsOf(
        nativeShell,
        server.url,
        async ({ process }) => {
          for (const [at] of answers.entries()) {
            await process.import(`base_${at}/17`).catch(() => {});
          }
        },
        { DBWEBHOOKS_IMPORT_SECRET: variable },
      );

      // Nothing here knows the receiver's url.
      expectNoLeak(texts, [apiKey, secret]);
      expect(errors).toHaveLength(answers.length);
    },
  );
});
