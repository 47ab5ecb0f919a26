import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { readPage } from "./markdown.ts";

interface Reference {
  readonly $ref: string;
}

interface Body {
  readonly content: Readonly<Record<string, { readonly schema: Reference }>>;
}

interface Operation {
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body | Reference>>;
}

interface Notification {
  readonly parameters: readonly { readonly name: string }[];
  readonly requestBody: Body;
}

interface Schema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema | Reference>>;
  readonly items?: Schema | Reference;
  readonly anyOf?: readonly (Schema | Reference)[];
  readonly enum?: readonly string[];
  readonly examples?: readonly Record<string, unknown>[];
}

// `npm run check` lints the form of the document.
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: { readonly event: { readonly post: Notification } };
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Body>>;
  };
}

interface ApiRequest {
  readonly method: string;
  /** The request target, percent-encoded. */
  readonly path: string;
}

const document: ApiDocument = parse(readPage("docs/api/openapi.yaml"));
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
// The document is not a schema as a whole, but its schemas refer to each other by their places in
// it.
ajv.addVocabulary(Object.keys(document)).addSchema(closed(document), "openapi.yaml");
ajv.addFormat("int64", { type: "number", validate: Number.isSafeInteger });
ajv.addFormat("uri", (text) => URL.canParse(text));
ajv.addFormat("date-time", (text) => new Date(text).toISOString() === text);

export const { schemas } = document.components;
const notification = document.webhooks.event.post;

/** The names of the headers that a notification has besides those of every request. */
export const notificationHeaders = notification.parameters.map(({ name }) => name.toLowerCase());

/** The operations that the document describes. */
export const operations = Object.entries(document.paths).flatMap(
  ([path, { parameters: _, ...methods }]) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return Object.entries(methods).map(([method, operation]) => {
      return { path, pattern, method: method.toUpperCase(), ...operation };
    });
  },
);

const operationOf = ({ method, path }: ApiRequest) =>
  operations.find((one) => one.method === method && one.pattern.test(path));

const nameIn = ({ $ref }: Reference) => $ref.split("/").at(-1) ?? "";

/** Returns how a request differs from the document. `body` is the parsed JSON. */
export function problemsOfRequest(
  request: ApiRequest & { headers: Readonly<Record<string, string>>; body?: unknown },
): string[] {
  const { method, path, headers, body } = request;
  const operation = operationOf(request);
  if (operation === undefined) {
    return [`${method} ${path} is no operation`];
  }
  const problems = /^Bearer \S+$/.test(headers.authorization ?? "")
    ? []
    : ["Authorization has no bearer token"];
  if (operation.requestBody === undefined) {
    return body === undefined ? problems : [...problems, "a body is sent"];
  }
  return [...problems, ...problemsOfBody(operation.requestBody, headers["content-type"], body)];
}

/**
 * Returns how a response differs from the document, if that describes the operation of the request.
 * `json` is the parsed body.
 */
export function problemsOfResponse(
  request: ApiRequest,
  response: { statusCode: number; headers: Readonly<Record<string, unknown>>; json?: unknown },
): string[] {
  const operation = operationOf(request);
  if (operation === undefined) {
    return [];
  }
  const { statusCode, headers, json } = response;
  const range = `${Math.floor(statusCode / 100)}XX`;
  const { responses } = operation;
  const found = responses[statusCode] ?? responses[range] ?? responses.default;
  const described =
    found !== undefined && "$ref" in found ? document.components.responses[nameIn(found)] : found;
  return described === undefined
    ? [`${statusCode} is no response`]
    : problemsOfBody(described, headers["content-type"], json);
}

/** Returns how a notification differs from the document. `body` is the parsed JSON. */
export function problemsOfNotification({
  headers,
  body,
}: {
  headers: Readonly<Record<string, unknown>>;
  body: unknown;
}): string[] {
  return problemsOfBody(notification.requestBody, headers["content-type"], body);
}

/** Returns the path of every described field, such as `data.table.name`, without those of lists. */
export function pathsIn(schema: Schema | Reference | undefined): string[] {
  if (schema === undefined) {
    return [];
  }
  if ("$ref" in schema) {
    return pathsIn(schemas[nameIn(schema)]);
  }
  const { properties = {}, items, anyOf = [] } = schema;
  const ofProperties = Object.entries(properties).flatMap(([name, property]) => [
    name,
    ...pathsIn(property).map((path) => `${name}.${path}`),
  ]);
  return [...new Set([...ofProperties, ...[items, ...anyOf].flatMap(pathsIn)])];
}

/**
 * A service may send more fields, but here a field that the document does not have counts as a
 * renamed one.
 */
function closed(value: unknown): object {
  if (Array.isArray(value)) {
    return value.map((one) => (typeof one === "object" ? closed(one) : one));
  }
  const entries = Object.entries(value as object).map(([name, one]) => [
    name,
    typeof one === "object" && one !== null ? closed(one) : one,
  ]);
  const copy = Object.fromEntries(entries);
  const isObjectSchema = copy.type === "object" && copy.properties !== undefined;
  return isObjectSchema ? { ...copy, additionalProperties: false } : copy;
}

function problemsOfBody({ content }: Body, contentType: unknown, body: unknown): string[] {
  const schema = content[String(contentType).split(";")[0] ?? ""]?.schema;
  if (schema === undefined) {
    return [`Content-Type is ${contentType}`];
  }
  const $id = nameIn(schema);
  const $ref = `openapi.yaml${schema.$ref}`;
  const validate = ajv.getSchema($id) ?? ajv.compile({ $id, $ref });
  validate(body);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `body${instancePath} ${message} ${JSON.stringify(params)}`;
  });
}
