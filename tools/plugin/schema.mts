import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
import ts from "typescript";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The file with the parts of the schema that are not generated: names and languages. */
export const schemaTemplate = join(root, "src/adapters/plugin/schema-template.json");

// The types of TypeScript do not say which properties are secrets.
const secrets = ["secret", "apiKey"];

const importSection = `## Import

Import a webhook by its number. The environment variable \`DBWEBHOOKS_IMPORT\` describes it as a JSON object, \`{"42":{"databaseId":"base_abc123","url":"…","events":["…"],"secret":"…"}}\`, with the \`tableId\` if there is one. The import sends no request. If another resource has the webhook, first remove that entry with \`pulumi state delete\`.

\`\`\`sh
$ pulumi import dbwebhooks:index:Webhook orders 42 --generate-code=false
\`\`\`

Without \`--generate-code=false\`, Pulumi prints the URL of the receiver in clear text.
`;

type Schema = Record<string, unknown>;

/** A property of an interface or of a class, with its type and its docstring. */
type Member = (ts.PropertySignature | ts.PropertyDeclaration) & { readonly type: ts.TypeNode };

/**
 * The schema as the plugin returns it. Properties, types and descriptions come from the classes and
 * interfaces of `src/sdk`, event types from `common/event-types.ts`, the properties that replace a
 * webhook from `provider/rules/arguments.ts`, defaults and variables from
 * `common/settings-table.ts`, and examples from `docs/_index.md`.
 */
export const schema = await generateSchema();

async function generateSchema() {
  const template = JSON.parse(readFileSync(schemaTemplate, "utf8"));
  const { replacingArguments } = await load<typeof import("../../src/provider/rules/arguments.ts")>(
    "provider/rules/arguments.ts",
  );
  const ifReplacing = (name: string, fields: Schema) =>
    (replacingArguments as readonly string[]).includes(name) ? fields : {};

  const args = declarationOf("sdk/args.ts", "WebhookArgs");
  const { description } = declarationOf("sdk/plugin/webhook.ts", "Webhook");
  const { members: outputs } = declarationOf("sdk/resource-base.ts", "WebhookResource");
  const { dynamicWebhookType } =
    await load<typeof import("../../src/common/type-tokens.ts")>("common/type-tokens.ts");
  const { members: settings } = declarationOf("sdk/args.ts", "ProviderArgs");
  const requiredSettings = requiredOf(settings);
  const fieldsOf = await loadSettingFields();
  return {
    ...template,
    version: JSON.parse(read("package.json")).version as string,
    config: { variables: propertiesOf(settings, fieldsOf) },
    provider: {
      description: declarationOf("sdk/plugin/explicit-provider.ts", "Provider").description,
      // Generated SDKs would fill a required argument from a variable of the default provider.
      inputProperties: propertiesOf(settings, (name) =>
        requiredSettings.includes(name) ? {} : fieldsOf(name),
      ),
      requiredInputs: requiredSettings,
    },
    types: {
      "dbwebhooks:index:EventType": {
        type: "string",
        description: "An event type that a webhook can subscribe to.",
        enum: await describedEventTypes(),
      },
    },
    resources: {
      "dbwebhooks:index:Webhook": {
        description: [description, examples(), importSection].join("\n\n"),
        inputProperties: propertiesOf(args.members, (name) =>
          ifReplacing(name, { willReplaceOnChanges: true }),
        ),
        requiredInputs: requiredOf(args.members),
        properties: propertiesOf(outputs, (name) => ({
          ...ifReplacing(name, { replaceOnChanges: true }),
          // Not the union of the argument, which would have to be unpacked in C# and Java.
          ...(name === "events" ? { items: { type: "string" } } : {}),
        })),
        required: requiredOf(outputs),
        // A webhook of the dynamic provider has the same state, so it can move here.
        aliases: [{ type: dynamicWebhookType }],
      },
    },
  };
}

/**
 * Returns the schema of each member. `extraFieldsOf` adds fields that its type and docstring do not
 * show.
 */
function propertiesOf(
  members: readonly Member[],
  extraFieldsOf?: (name: string) => Schema,
): Schema {
  return Object.fromEntries(
    members.map((member) => {
      const name = member.name.getText();
      const secret = secrets.includes(name) ? { secret: true } : {};
      const description = descriptionOf(member);
      return [
        name,
        { ...schemaOfType(member.type, name), ...secret, ...extraFieldsOf?.(name), description },
      ];
    }),
  );
}

function requiredOf(members: readonly Member[]): string[] {
  const required = members.filter(({ type }) => !/\bundefined\b/.test(type.getText()));
  return required.map(({ name }) => name.getText());
}

/**
 * Returns the values of the enum of event types: the name of `record.created` is `RecordCreated`.
 */
async function describedEventTypes() {
  const path = "common/event-types.ts";
  const { eventTypes } = await load<typeof import("../../src/common/event-types.ts")>(path);
  const source = read(`src/${path}`);
  return eventTypes.map((value) => {
    const name = value.replaceAll(/(?:^|\.)\w/g, (letter) => letter.at(-1)?.toUpperCase() ?? "");
    // The compiler has no docstrings of the elements of an array.
    const [description] = new RegExp(`(?<=/\\*\\* ).*(?= \\*/\\s+"${value}")`).exec(source) ?? [];
    if (description === undefined) {
      throw new Error(`The event type ${value} has no docstring in src/${path}.`);
    }
    return { name, value, description };
  });
}

/** Returns a function with the default and the environment variable of a setting. */
async function loadSettingFields(): Promise<(name: string) => Schema> {
  const { settingOf } = await load<typeof import("../../src/common/settings-table.ts")>(
    "common/settings-table.ts",
  );
  return (name) => {
    const { variable, defaultValue } = settingOf(name as Parameters<typeof settingOf>[0]);
    return {
      ...(defaultValue === undefined ? {} : { default: defaultValue }),
      defaultInfo: { environment: [variable] },
    };
  };
}

/**
 * Bundles a module of `src` and loads it: Node.js cannot load it directly, because its imports end
 * in `.js`.
 */
async function load<Module>(path: string): Promise<Module> {
  const { output } = await build({
    cwd: root,
    input: join("src", path),
    platform: "node",
    write: false,
    output: { codeSplitting: false },
  });
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
}

/** Returns the docstring of an interface or class of `src`, and its properties that have a type. */
function declarationOf(path: string, name: string) {
  const source = ts.createSourceFile(path, read(`src/${path}`), ts.ScriptTarget.Latest, true);
  const declaration = source.statements
    .filter((node) => ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node))
    .find((node) => node.name?.text === name);
  if (declaration === undefined) {
    throw new Error(`There is no ${name} in src/${path}.`);
  }
  return {
    description: descriptionOf(declaration),
    members: [...declaration.members].filter(isInstanceProperty),
  };
}

function isInstanceProperty(node: ts.Node): node is Member {
  return (
    (ts.isPropertySignature(node) || ts.isPropertyDeclaration(node)) &&
    node.type !== undefined &&
    !node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword)
  );
}

/** Returns a docstring without its tags, one line for each paragraph. */
function descriptionOf(node: ts.Node): string {
  const [docstring] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = ts.getTextOfJSDocComment(docstring?.comment) ?? "";
  return text.replace(/(?<!\n)\n(?!\n)/g, " ");
}

function schemaOfType(type: ts.TypeNode, name: string): Schema {
  if (ts.isTypeReferenceNode(type) && type.typeArguments?.[0] !== undefined) {
    // pulumi.Input<…> or pulumi.Output<…>
    return schemaOfType(type.typeArguments[0], name);
  }
  if (ts.isTypeOperatorNode(type)) {
    return schemaOfType(type.type, name);
  }
  if (ts.isArrayTypeNode(type)) {
    return { type: "array", items: schemaOfType(type.elementType, name) };
  }
  if (ts.isUnionTypeNode(type)) {
    const [first = {}, ...others] = type.types
      .filter(({ kind }) => kind !== ts.SyntaxKind.UndefinedKeyword)
      .map((member) => schemaOfType(member, name));
    return others.length === 0 ? first : { oneOf: [first, ...others] };
  }
  const text = type.getText();
  switch (text) {
    case "string":
    case "boolean":
    case "number":
      return { type: text };
    case "EventType":
      return { oneOf: [{ type: "string" }, { $ref: "#/types/dbwebhooks:index:EventType" }] };
    default:
      throw new Error(`The type of ${name}, ${text}, has no place in a schema.`);
  }
}

function examples(): string {
  const programs = read("docs/_index.md").match(/^```[\s\S]*?^```$/gm) ?? [];
  return `{{% examples %}}
## Example Usage

{{% example %}}
### The webhook of a table

${programs.join("\n")}
{{% /example %}}
{{% /examples %}}`;
}
