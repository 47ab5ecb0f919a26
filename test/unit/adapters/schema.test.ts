import { expect, it } from "vitest";
import { eventTypes } from "../../../src/common/event-types.ts";
import { settingNames, settingsTable } from "../../../src/common/settings-table.ts";
import { webhookArguments } from "../../../src/provider/rules/arguments.ts";
import { schema } from "../../../tools/plugin/schema.mts";

// The schema is generated from the types and docstrings of src/sdk, the rules in src, a template
// and the examples in docs. These tests compare its parts with the validation, or with a list.

type Property = { description: string; default?: unknown; defaultInfo?: { environment: string[] } };
type Properties = Record<string, Property>;

const webhook = schema.resources["dbwebhooks:index:Webhook"];
const inputs = webhook.inputProperties as Properties;
const outputs = webhook.properties as Properties;
const settings = schema.config.variables as Properties;

/** Returns the names of the properties that have this key in the schema. */
const namesWith = (properties: Properties, key: string) =>
  Object.keys(properties).filter((name) => key in (properties[name] ?? {}));

it("The schema of Webhook requires the arguments that validation requires, and all outputs but tableId", () => {
  const required = Object.entries(webhookArguments).filter(([, { isRequired }]) => isRequired);
  const optional = Object.keys(outputs).filter((name) => !webhook.required.includes(name));

  expect(webhook.requiredInputs).toEqual(required.map(([name]) => name));
  expect(optional).toEqual(["tableId"]);
});

it("The schema of Webhook marks properties whose change replaces it, and their descriptions say so", () => {
  const replacing = ["databaseId", "url", "events", "tableId"];
  const described = Object.keys(inputs).filter((name) =>
    inputs[name]?.description.endsWith("Changing this replaces the webhook."),
  );

  expect(namesWith(inputs, "willReplaceOnChanges")).toEqual(replacing);
  expect(namesWith(outputs, "replaceOnChanges")).toEqual(replacing);
  expect(described).toEqual(replacing);
});

it("The schema of Webhook lists the known event types, accepts others, and has plain strings as output", () => {
  const { enum: values } = schema.types["dbwebhooks:index:EventType"];

  expect(values.map(({ value }: { value: string }) => value)).toEqual(eventTypes);
  expect(values[0]).toMatchObject({ name: "RecordCreated", description: "New records are added." });
  expect(inputs.events).toMatchObject({
    type: "array",
    items: { oneOf: [{ type: "string" }, { $ref: "#/types/dbwebhooks:index:EventType" }] },
  });
  expect(outputs.events).toMatchObject({ type: "array", items: { type: "string" } });
});

it("The schema of Webhook has an example in each language, and the command of an import", () => {
  const languages = [...webhook.description.matchAll(/^```(\w+)$/gm)].map(([, name]) => name);

  expect(languages).toEqual(["typescript", "python", "go", "csharp", "java", "yaml", "sh"]);
  expect(webhook.description).toMatch(
    /^\$ pulumi import dbwebhooks:index:Webhook \w+ \d+ --generate-code=false$/m,
  );
});

it("The schema lets webhooks of the dynamic provider move to the plugin", () => {
  expect(webhook.aliases).toEqual([{ type: "pulumi-nodejs:dynamic/dbwebhooks:Webhook" }]);
});

it("The schema names no npm package: generated SDKs would install it, whoever owns it", () => {
  expect(schema.language.nodejs).not.toHaveProperty("packageName");
});

const requiredSettings = { baseUrl: "https://tables.example.com", apiKey: "key" };

it("The schema has every setting for the stack and for a Provider, which has its own base URL and key", () => {
  const { inputProperties, requiredInputs } = schema.provider;
  const required = Object.keys(requiredSettings);
  const withVariable = Object.keys(settings).filter((name) => !required.includes(name));

  expect(Object.keys(settings)).toEqual(settingNames);
  expect(requiredInputs).toEqual(required);
  // Generated SDKs fill an argument that has a variable before they complain.
  expect(namesWith(inputProperties, "defaultInfo")).toEqual(withVariable);
  expect(namesWith(settings, "defaultInfo")).toEqual(settingNames);
  expect(namesWith(inputProperties, "secret")).toEqual(["apiKey"]);
});

it.each(settingNames)("The schema has the environment variable and default of %s", (name) => {
  const { description, defaultInfo, ...setting } = settings[name] as Property;
  const hasDefault = !(name in requiredSettings);

  expect(defaultInfo?.environment).toEqual([settingsTable[name].variable]);
  // Without `listing` there is a third meaning, which the description explains.
  const text = setting.default === undefined ? "Default: " : `Default: \`?${setting.default}\\b`;
  expect(new RegExp(text).test(description)).toBe(hasDefault);
});

it.each([
  { name: "timeoutSeconds", type: "number", tooLow: 0.0005, least: 0.001, most: 3_600 },
  { name: "retrySeconds", type: "number", tooLow: -0.001, least: 0, most: 86_400 },
] as const)(
  "The schema describes the $type $name from $least to $most, like the validation",
  (row) => {
    const { name, type, tooLow, least, most } = row;
    const limits = expect.stringContaining(`: ${least} to ${most.toLocaleString("en")}.`);
    const isAllowed = (value: number) => settingsTable[name].validate(String(value)).length === 0;

    expect(settings[name]).toMatchObject({ type, description: limits });
    expect([tooLow, least, most, most + 1].filter(isAllowed)).toEqual([least, most]);
  },
);

it("The schema marks as secrets the output `secret` and the setting `apiKey`, and no argument", () => {
  expect(namesWith(outputs, "secret")).toEqual(["secret"]);
  expect(namesWith(inputs, "secret")).toEqual([]);
  expect(namesWith(settings, "secret")).toEqual(["apiKey"]);
});
