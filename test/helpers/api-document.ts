import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { readPage } from "./markdown.ts";

interface Reference {
  readonly $ref: string;
}

interface Body {
  readonly content: Readonly<Record<string, { readonly schema: Reference }>>;
}

interface Parameter {
  readonly name: string;
  readonly schema: object;
}

interface Operation {
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body | Reference>>;
}

interface Schema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, object>>;
  readonly enum?: readonly string[];
  readonly examples?: readonly Record<string, unknown>[];
}

interface ApiDocument {
  readonly paths: Readonly<
    Record<string, { readonly parameters: readonly Reference[] } & Record<string, Operation>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface ApiRequest {
  readonly method: string;
  /** The request target, percent-encoded. */
  readonly path: string;
}

interface SentRequest extends ApiRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON. */
  readonly body?: unknown;
}

interface ReceivedResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The parsed JSON. */
  readonly json?: unknown;
}

const document: ApiDocument = parse(readPage("docs/api/openapi.yaml"));
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
// The document is not a schema as a whole, but its schemas refer to each other by their places in
// it.
ajv.addVocabulary(Object.keys(document)).addSchema(document, "openapi.yaml");
const validators = new Map<string, ValidateFunction>();

export const { schemas } = document.components;

/** The operations that the document describes. */
export const operations = Object.entries(document.paths).flatMap(
  ([path, { parameters, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => {
      const pattern = path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
      return {
        method: method.toUpperCase(),
        path,
        pattern: new RegExp(`^${pattern}$`),
        parameters: parameters.map((parameter) => resolve(parameter as Reference | Parameter)),
        ...operation,
      };
    }),
);

/** Returns how a request differs from the document. */
export function problemsOfRequest(request: SentRequest): string[] {
  const operation = operationOf(request);
  if (operation === undefined) {
    return [`${request.method} ${request.path} is no operation`];
  }
  const { authorization = "", "content-type": contentType = "" } = request.headers;
  const { requestBody, parameters, pattern } = operation;
  const values = pattern.exec(request.path)?.groups ?? {};
  return [
    ...(/^Bearer \S+$/.test(authorization) ? [] : ["Authorization has no bearer token"]),
    ...parameters.flatMap(({ name, schema }) => {
      const value = decodeURIComponent(values[name] ?? "");
      const isValid = ajv.validate(schema, value) || ajv.validate(schema, Number(value));
      return isValid ? [] : [`${name} in the path is ${value}`];
    }),
    ...(requestBody === undefined
      ? [request.body].filter((body) => body !== undefined).map(() => "a body is sent")
      : problemsOfBody(requestBody, contentType, request.body)),
  ];
}

/**
 * Returns how a response differs from the document, if that describes the operation of the request.
 */
export function problemsOfResponse(request: ApiRequest, response: ReceivedResponse): string[] {
  const operation = operationOf(request);
  if (operation === undefined) {
    return [];
  }
  const { statusCode, headers, json } = response;
  const { responses } = operation;
  const found =
    responses[statusCode] ?? responses[`${Math.floor(statusCode / 100)}XX`] ?? responses.default;
  if (found === undefined) {
    return [`${statusCode} is no response`];
  }
  return problemsOfBody(resolve(found), String(headers["content-type"]), json);
}

function operationOf({ method, path }: ApiRequest) {
  return operations.find((one) => one.method === method && one.pattern.test(path));
}

function problemsOfBody({ content }: Body, contentType: string, body: unknown): string[] {
  const mediaType = contentType.split(";")[0] ?? "";
  const schema = content[mediaType]?.schema;
  if (schema === undefined) {
    return [`Content-Type is ${contentType}`];
  }
  const validate = validatorOf(schema);
  validate(body);
  const errors = validate.errors ?? [];
  return errors.map(({ instancePath, message, params }) => {
    return `body${instancePath} ${message} ${JSON.stringify(params)}`;
  });
}

/**
 * A service may send more fields, but here a field that the document does not have counts as a
 * renamed one.
 */
function validatorOf({ $ref }: Reference): ValidateFunction {
  const known = validators.get($ref);
  if (known !== undefined) {
    return known;
  }
  const schema = { type: "object", $ref: `openapi.yaml${$ref}`, unevaluatedProperties: false };
  const validate = ajv.compile(schema);
  validators.set($ref, validate);
  return validate;
}

function resolve<Node extends object>(node: Node | Reference): Node {
  if (!("$ref" in node)) {
    return node;
  }
  const keys = node.$ref.replace("#/", "").split("/");
  return keys.reduce((at: object, key) => at[key as never], document) as Node;
}
