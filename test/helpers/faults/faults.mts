import type { Fault, ReceivedRequest } from "pulumi-dbwebhooks/local-service";

/** A complete HTTP message whose JSON is cut in half. */
export const truncatedJson: Fault = {
  kind: "alter",
  text: (text) => text.slice(0, text.length / 2),
};

/** The answer with 10 MiB more. */
export const hugeBody: Fault = {
  kind: "fields",
  set: { padding: () => "x".repeat(10 * 1024 * 1024) },
};

/** The answer under the content type of a page. */
export const asHtml: Fault = { kind: "alter", headers: { "content-type": "text/html" } };

/** The answer with its id as a string of digits. */
export const idAsString: Fault = { kind: "fields", set: { id: String } };

/** A refusal that repeats the Authorization header, as some proxies do. */
export function echoAuthorization(statusCode = 400): Fault {
  return {
    kind: "respond",
    statusCode,
    body: ({ headers }: ReceivedRequest) => ({
      error: {
        code: "BAD_REQUEST",
        message: `Unexpected header: Authorization: ${headers.authorization}`,
      },
    }),
  };
}
