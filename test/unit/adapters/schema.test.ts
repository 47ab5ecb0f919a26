import { describe, expect, it } from "vitest";
import schema from "../../../src/adapters/plugin/schema.json";
import { eventTypes } from "../../../src/common/event-types.ts";
import { settingNames, settingsTable } from "../../../src/common/settings-table.ts";
import { dynamicWebhookType } from "../../../src/common/type-tokens.ts";
import { webhookFields } from "../../../src/common/webhook-fields.ts";
import { webhookArguments } from "../../../src/provider/rules/arguments.ts";
import { readDescribedWebhook } from "../../../src/provider/rules/import-variable.ts";
import { secret } from "../../helpers/builders.ts";
import { codeBlocks, readPage } from "../../helpers/markdown.ts";

// The schema is written by hand. These tests hold it against the rules and against the examples,
// which other tests run; types.test-d.ts holds its outputs against the class.

type Flag = "secret" | "willReplaceOnChanges" | "replaceOnChanges";
type Property = Readonly<{ description: string; type: string } & { [flag in Flag]?: boolean }>;
type Properties = Readonly<Record<string, Property>>;

const webhook = schema.resources["dbwebhooks:index:Webhook"];
const inputs: Properties = webhook.inputProperties;
const outputs: Properties = webhook.properties;
const settings: Properties = schema.config.variables;
const eventEnum = schema.types["dbwebhooks:index:EventType"].enum;

/** Returns the names of the properties for which the schema sets this flag to `true`. */
const namesWith = (properties: Properties, flag: Flag) =>
  Object.keys(properties).filter((name) => properties[name]?.[flag] === true);

const namesOfRequired = (rules: Readonly<Record<string, { readonly isRequired: boolean }>>) =>
  Object.keys(rules).filter((name) => rules[name]?.isRequired);

const typesOf = (properties: Properties) =>
  Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, type]));

describe("The schema of Webhook", () => {
  it("has the arguments of the rules, with their types, and requires what the rules require", () => {
    expect(Object.keys(inputs)).toEqual(Object.keys(webhookArguments));
    expect(typesOf(inputs)).toEqual({
      databaseId: "string",
      url: "string",
      events: "array",
      tableId: "string",
      allowUnknownEvents: "boolean",
      allowInsecureUrl: "boolean",
    });
    expect(webhook.requiredInputs).toEqual(namesOfRequired(webhookArguments));
  });

  it("has an output for each argument that the service gets, with its type, required if that is", () => {
    const typesOfInputs = typesOf(inputs);
    const types = Object.fromEntries(webhookFields.map((name) => [name, typesOfInputs[name]]));
    const optional = webhookFields.filter((name) => !webhookArguments[name].isRequired);
    const isOptional = (name: string) => (optional as readonly string[]).includes(name);

    expect(typesOf(outputs)).toEqual({ ...types, secret: "string", baseUrl: "string" });
    expect(webhook.required).toEqual(Object.keys(outputs).filter((name) => !isOptional(name)));
  });

  it.each([
    { file: "src/sdk/args.ts", properties: inputs },
    { file: "src/sdk/resource-base.ts", properties: outputs },
  ])("describes each property as its docstring in $file does, without remarks", (row) => {
    const docstrings = readPage(row.file).matchAll(
      /\/\*\*(?<text>(?:(?!\*\/).)*)\*\/\s*(?:declare readonly )?(?<name>\w+)\??:/gs,
    );
    const described = [...docstrings].map(({ groups: { name = "", text = "" } = {} }) => {
      const [lines = ""] = text.replaceAll(/^\s*\* ?/gm, "").split("@remarks");
      const paragraphs = lines.trim().split("\n\n");
      return [name, paragraphs.map((one) => one.replaceAll(/\s+/g, " ").trim()).join("\n\n")];
    });

    const inSchema = Object.entries(row.properties).map(([name, one]) => [name, one.description]);
    expect(described).toEqual(expect.arrayContaining(inSchema));
  });

  it("marks the properties whose change replaces a webhook, and their descriptions say so", () => {
    const described = Object.keys(inputs).filter((name) =>
      inputs[name]?.description.endsWith("\n\nChanging this replaces the webhook."),
    );

    expect(namesWith(inputs, "willReplaceOnChanges")).toEqual(webhookFields);
    expect(namesWith(outputs, "replaceOnChanges")).toEqual(webhookFields);
    expect(described).toEqual(webhookFields);
  });

  it("lists the known event types, accepts others, and has plain strings as output", () => {
    const { events } = webhook.inputProperties;
    const nameOf = (type: string) =>
      type.replaceAll(/(?:^|\.)\w/g, (start) => start.slice(-1).toUpperCase());

    expect(eventEnum.map(({ value }) => value)).toEqual(eventTypes);
    expect(eventEnum.map(({ name }) => name)).toEqual(eventTypes.map(nameOf));
    expect(events.items.oneOf).toEqual([
      { type: "string" },
      { $ref: "#/types/dbwebhooks:index:EventType" },
    ]);
    expect(webhook.properties.events.items).toEqual({ type: "string" });
  });

  it("marks as secret the output `secret`, and no argument", () => {
    expect(namesWith(outputs, "secret")).toEqual(["secret"]);
    expect(namesWith(inputs, "secret")).toEqual([]);
  });

  it("lets webhooks of the dynamic provider move to the plugin", () => {
    expect(webhook.aliases).toEqual([{ type: dynamicWebhookType }]);
  });

  const blocks = codeBlocks(webhook.description);

  it.each([
    { language: "typescript", path: "examples/basic/index.ts" },
    { language: "python", path: "examples/python/__main__.py" },
    { language: "go", path: "examples/go/main.go" },
    { language: "yaml", path: "examples/yaml/Pulumi.yaml" },
  ])("shows the program of $path", ({ language, path }) => {
    const file = readPage(path).replace(
      'from "pulumi-dbwebhooks"',
      'from "pulumi-dbwebhooks/native"',
    );
    const program = file.slice(file.search(/^(import|package|resources)\b/m));

    expect(blocks.filter((block) => block.language === language)).toEqual([
      { language, text: program },
    ]);
  });

  it("closes the shortcodes around its examples", () => {
    const shortcodes = webhook.description.match(/(?<=\{\{% ).*?(?= %\}\})/g);

    expect(shortcodes).toEqual(["examples", "example", "/example", "/examples"]);
  });

  it("shows no program that nothing runs", () => {
    const languages = blocks.map(({ language }) => language);

    expect(languages).toEqual(["typescript", "python", "go", "yaml", "json", "sh"]);
  });

  it("shows an import, whose description lacks nothing but the secret", () => {
    const [description = "", commands = ""] = ["json", "sh"].map(
      (language) => blocks.find((block) => block.language === language)?.text,
    );
    const [, id = ""] =
      /^\$ pulumi import dbwebhooks:index:Webhook orders (\d+) /m.exec(commands) ?? [];
    const described = (text: string) => readDescribedWebhook(id, text);

    expect(commands).toMatch(/^\$ export DBWEBHOOKS_IMPORT="/);
    expect(commands).toMatch(/ --generate-code=false\n$/);
    expect(described(description)).toHaveProperty("problem", expect.stringContaining("secret: "));
    expect(described(description.replace('""', `"${secret}"`))).toMatchObject({ secret });
  });
});

describe("The schema of the settings", () => {
  const { inputProperties, requiredInputs } = schema.provider;

  it("has every setting, with its type, and marks the key as secret", () => {
    expect(Object.keys(settings)).toEqual(settingNames);
    expect(typesOf(settings)).toEqual({
      baseUrl: "string",
      apiKey: "string",
      timeoutSeconds: "number",
      retrySeconds: "number",
      listing: "boolean",
    });
    expect(namesWith(settings, "secret")).toEqual(["apiKey"]);
  });

  // Generated SDKs would store them as arguments, also what the variables of one machine hold.
  it("has them for a Provider too, without variables and defaults", () => {
    const expected = settingNames.map((name) => {
      const { type } = schema.config.variables[name];
      const setting = { type, description: expect.any(String) };
      return [name, name === "apiKey" ? { ...setting, secret: true } : setting];
    });

    expect(inputProperties).toEqual(Object.fromEntries(expected));
    expect(requiredInputs).toEqual(namesOfRequired(settingsTable));
  });

  it.each(settingNames)("has the environment variable and the default of %s", (name) => {
    const { variable, defaultValue, isRequired } = settingsTable[name];
    const { description } = schema.config.variables[name];
    // Without `listing` there is a third meaning, which the description explains.
    const said = defaultValue === undefined ? "Default: " : `Default: ${defaultValue}.`;

    expect(settings[name]).toMatchObject({ defaultInfo: { environment: [variable] } });
    expect({ default: undefined, ...settings[name] }.default).toBe(defaultValue);
    expect(description.includes(said)).toBe(!isRequired);
  });

  it.each([
    { name: "timeoutSeconds", tooLow: 0.0005, least: 0.001, most: 3_600 },
    { name: "retrySeconds", tooLow: -0.001, least: 0, most: 86_400 },
  ] as const)("describes $name from $least to $most, like the validation", (row) => {
    const { name, tooLow, least, most } = row;
    const isAllowed = (value: number) => settingsTable[name].validate(String(value)).length === 0;

    expect(settings[name]?.description).toContain(`: ${least} to ${most.toLocaleString("en")}.`);
    expect([tooLow, least, most, most + 1].filter(isAllowed)).toEqual([least, most]);
  });
});

it("The schema has a sentence for every argument, output, setting and event type", () => {
  const described = [
    ...[inputs, outputs, settings, schema.provider.inputProperties].flatMap(Object.values),
    ...eventEnum,
    ...[webhook, schema, schema.provider, schema.types["dbwebhooks:index:EventType"]],
  ];

  const sentence = expect.stringMatching(/^[A-Z].{9,}\.(\n|$)/);
  expect(described.map(({ description }) => description)).toEqual(described.map(() => sentence));
});

it("The schema names no npm package: generated SDKs would install it, whoever owns it", () => {
  expect(schema.language.nodejs).not.toHaveProperty("packageName");
});

it("The schema gives the package of every language the version of the plugin", () => {
  const hasVersion = expect.objectContaining({ respectSchemaVersion: true });

  expect(schema.language).toEqual({ go: hasVersion, nodejs: hasVersion, python: hasVersion });
});
