import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { generate } from "selfsigned";

/** A server that offers the files of a release for download. */
interface ReleaseServer extends AsyncDisposable {
  /** Where the files are, by their names. */
  readonly url: string;
  /** The repository of the release, as Pulumi names one at GitHub. */
  readonly repositoryUrl: string;
  /** Paths of the requests so far. */
  readonly paths: readonly string[];
  /** What lets programs in Go trust it. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Offers all files of a directory as the release of a tag, at GitHub's paths too. */
export async function startReleaseServer(directory: string, tag: string): Promise<ReleaseServer> {
  const { private: key, cert } = await generate([{ name: "commonName", value: "127.0.0.1" }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }],
  });
  const certificateFile = join(directory, "certificate.pem");
  await writeFile(certificateFile, cert);
  const names = await readdir(directory);
  const paths: string[] = [];
  const server = createServer({ key, cert }, async ({ url: path = "", headers }, response) => {
    paths.push(path);
    const files = `https://${headers.host}/files`;
    const name = names.find((one) => path === `/files/${one}`);
    if (path === `/repos/owner/repository/releases/tags/${tag}`) {
      const assets = names.map((one) => ({ name: one, url: `${files}/${one}` }));
      response.end(JSON.stringify({ tag_name: tag, assets }));
    } else if (name !== undefined) {
      response.end(await readFile(join(directory, name)));
    } else {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `https://${host}/files`,
    repositoryUrl: `github://${host}/owner/repository`,
    paths,
    environment: { SSL_CERT_FILE: certificateFile },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
