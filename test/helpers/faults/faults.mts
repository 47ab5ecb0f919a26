import type { Fault } from "pulumi-dbwebhooks/local-service";

/** A complete HTTP message whose JSON is cut in half. */
export const truncatedJson: Fault = {
  kind: "respond",
  body: (_, own) => {
    const text = JSON.stringify(own);
    return text.slice(0, text.length / 2);
  },
};

/** The response with 10 MiB of padding. */
export const hugeBody: Fault = withFields({ padding: "x".repeat(10 * 1024 * 1024) });

/** The response with the content type of an HTML page. */
export const asHtml: Fault = { kind: "respond", headers: { "content-type": "text/html" } };

/** The response with its id as a string of digits. */
export const idAsString: Fault = {
  kind: "respond",
  body: (_, own) => ({ ...own, id: String(own.id) }),
};

/** The response with changed fields; `undefined` removes a field. */
export function withFields(changes: object): Fault {
  return { kind: "respond", body: (_, own) => ({ ...own, ...changes }) };
}

/** An error response that repeats the Authorization header, as some proxies do. */
export function echoAuthorization(statusCode = 400): Fault {
  return {
    kind: "respond",
    statusCode,
    body: ({ headers }) => {
      const message = `Unexpected header: Authorization: ${headers.authorization}`;
      return { error: { code: "BAD_REQUEST", message } };
    },
  };
}
