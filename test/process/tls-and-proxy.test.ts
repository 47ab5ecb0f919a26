import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { type GenerateResult, generate } from "selfsigned";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../helpers/directory.js";
import { errorOf } from "../helpers/error-of.js";
import { startServer } from "../helpers/http-server.js";
import { kindOf } from "../helpers/kind-of.js";
import type { ProviderProcess } from "../helpers/shells/grpc-provider.js";
import { webhookInputs, withProviderProcess } from "../helpers/shells/provider-process.js";

const apiKey = "sk_live_K7pQ2mX9vT4wZ8aB";
const created = { id: 17, secret: "whsec_5tGq8LrN3cVbYx0KdJfHs2Mu" };
const inputs = webhookInputs();
// Nothing of the network of the machine.
const noProxy = Object.fromEntries(
  ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].flatMap((name) => [
    [name, undefined],
    [name.toLowerCase(), undefined],
  ]),
);
const host = "tables.example.test";

const directory = temporaryDirectory();
const caFile = join(directory.path, "ca.pem");
let certificate: GenerateResult;

beforeAll(async () => {
  const ca = await generate([{ name: "commonName", value: "Private CA" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, critical: true },
    ],
  });
  certificate = await generate([{ name: "commonName", value: host }], {
    keyType: "ec",
    algorithm: "sha256",
    ca: { key: ca.private, cert: ca.cert },
    extensions: [
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: host },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  await writeFile(caFile, ca.cert);
});

afterAll(() => directory.remove());

describe("A service behind a private CA", () => {
  it("is reached with NODE_EXTRA_CA_CERTS", async () => {
    await using service = await startHttps();

    const { id } = await createAt(service.url, { NODE_EXTRA_CA_CERTS: caFile });

    expect(id).toBe("17");
    expect(service.authorizations).toEqual([`Bearer ${apiKey}`]);
  });

  it("hears nothing without it, and the error says so", async () => {
    await using service = await startHttps();

    const error = await errorOf(createAt(service.url, {}));

    expect(kindOf(error)).toBe("notCreated");
    expect(error.message).toMatch(/\(.*(certificate|CERT|SIGNATURE).*\).*NODE_EXTRA_CA_CERTS/);
    expect(service.authorizations).toEqual([]);
  });

  it("hears nothing when its certificate is for another host", async () => {
    await using service = await startHttps();
    const url = service.url.replace("127.0.0.1", "localhost");

    const creation = createAt(url, { NODE_EXTRA_CA_CERTS: caFile });

    await expect(creation).rejects.toThrow("ERR_TLS_CERT_ALTNAME_INVALID");
    expect(service.authorizations).toEqual([]);
  });
});

describe("A proxy", () => {
  it("of HTTPS_PROXY carries the request in a tunnel and does not see the key", async () => {
    await using service = await startHttps();
    await using proxy = await startProxy(service.port);

    const { id } = await createAt(`https://${host}`, {
      HTTPS_PROXY: proxy.url,
      NODE_EXTRA_CA_CERTS: caFile,
    });

    expect(id).toBe("17");
    expect(proxy.targets).toEqual([`${host}:443`]);
    expect(proxy.seen().includes(apiKey)).toBe(false);
    expect(service.authorizations).toEqual([`Bearer ${apiKey}`]);
  });

  it("is not used for a host in NO_PROXY", async () => {
    await using service = await startHttps();
    await using proxy = await startProxy(service.port);

    const error = await errorOf(
      createAt(`https://${host}`, { HTTPS_PROXY: proxy.url, NO_PROXY: host }),
    );

    expect(kindOf(error)).toBe("notCreated");
    expect(proxy.targets).toEqual([]);
  });

  it("is never used for a loopback host", async () => {
    await using service = await startServer({ statusCode: 201, body: created });
    await using proxy = await startProxy(1);

    const { id } = await createAt(service.url, { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url });

    expect(id).toBe("17");
    expect(proxy.targets).toEqual([]);
  });

  it("that refuses leaves nothing behind, and the error says so", async () => {
    await using proxy = await startProxy(undefined);

    const error = await errorOf(createAt(`https://${host}`, { HTTPS_PROXY: proxy.url }));

    expect(kindOf(error)).toBe("notCreated");
    expect(error.message).toContain("HTTPS_PROXY");
    expect(proxy.targets).toEqual([`${host}:443`]);
  });
});

describe("The API key", () => {
  it.each([301, 302, 303, 307, 308])("is not sent to where a %i points", async (statusCode) => {
    await using other = await startServer({ statusCode: 201, body: created });
    await using service = await startServer({
      statusCode,
      headers: { location: `${other.url}/api/v1/bases/base_abc123/webhooks` },
    });

    const creation = createAt(service.url, {});

    await expect(creation).rejects.toThrow(` ${statusCode}`);
    expect(service.requests).toHaveLength(1);
    expect(other.requests).toEqual([]);
  });

  it("is not sent to where the answer to a deletion points", async () => {
    await using other = await startServer({ body: { success: true } });
    await using service = await startServer({
      statusCode: 307,
      headers: { location: `${other.url}/api/v1/bases/base_abc123/webhooks/17` },
    });

    const deletion = withProvider(service.url, {}, (provider) =>
      provider.delete("17", { ...inputs, baseUrl: service.url, secret: created.secret }),
    );

    await expect(deletion).rejects.toThrow(" 307");
    expect(other.requests).toEqual([]);
  });

  it("does not travel over plain http, but to loopback or by explicit choice", async () => {
    const failuresFor = (baseUrl: string, config = {}) =>
      withProvider(
        baseUrl,
        {},
        async (provider) => (await provider.check(inputs)).failures,
        config,
      );

    const refused = await failuresFor(`http://${host}`);
    const allowed = [
      await failuresFor("http://127.0.0.1:1"),
      await failuresFor("http://localhost:1"),
      await failuresFor(`http://${host}`, { "dbwebhooks:allowInsecureBaseUrl": "true" }),
    ];

    expect(refused).toEqual([expect.stringMatching(/^dbwebhooks:baseUrl: /)]);
    expect(allowed).toEqual([[], [], []]);
  });

  it("is not sent over plain http even when check was passed over", async () => {
    await using proxy = await startServer({ statusCode: 201, body: created });

    const error = await errorOf(createAt(`http://${host}`, { HTTP_PROXY: proxy.url }));

    expect(kindOf(error)).toBe("notCreated");
    expect(error.message).toContain("dbwebhooks:baseUrl");
    expect(proxy.requests).toEqual([]);
  });
});

type Environment = Readonly<Record<string, string>>;

function createAt(baseUrl: string, environment: Environment): Promise<{ id: string }> {
  return withProvider(baseUrl, environment, (provider) => provider.create(inputs));
}

function withProvider<Result>(
  baseUrl: string,
  environment: Environment,
  use: (provider: ProviderProcess) => Promise<Result>,
  config: Environment = {},
): Promise<Result> {
  return withProviderProcess(
    {
      "dbwebhooks:baseUrl": baseUrl,
      "dbwebhooks:apiKey": apiKey,
      "dbwebhooks:retrySeconds": "0",
      ...config,
    },
    use,
    { ...noProxy, ...environment },
  );
}

async function startHttps() {
  const authorizations: (string | undefined)[] = [];
  const server = createHttpsServer(
    { key: certificate.private, cert: certificate.cert },
    (request, response) => {
      authorizations.push(request.headers.authorization);
      request.resume();
      response.writeHead(201).end(JSON.stringify(created));
    },
  );
  // What a client without our CA does to a handshake.
  server.on("tlsClientError", () => undefined);
  return { authorizations, ...(await listen(server)) };
}

/** A proxy that tunnels everything to one port, or refuses where there is none. */
async function startProxy(port: number | undefined) {
  const targets: (string | undefined)[] = [];
  const chunks: Buffer[] = [];
  const server = createHttpServer((request, response) => {
    targets.push(request.url);
    response.writeHead(502).end();
  });
  server.on("connect", (request, client, head) => {
    targets.push(request.url);
    chunks.push(Buffer.from(JSON.stringify(request.headers)));
    if (port === undefined) {
      client.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    const upstream = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      client.on("data", (chunk: Buffer) => chunks.push(chunk));
      client.pipe(upstream).pipe(client);
    });
    for (const socket of [client, upstream]) {
      socket.on("error", () => socket.destroy());
    }
  });
  return { targets, seen: () => Buffer.concat(chunks), ...(await listen(server)) };
}

async function listen(server: Server | ReturnType<typeof createHttpsServer>) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const protocol = "setSecureContext" in server ? "https" : "http";
  return {
    port,
    url: `${protocol}://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
