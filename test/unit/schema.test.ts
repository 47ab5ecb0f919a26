import { expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.ts";
import { environmentVariables, settingNames } from "../../src/common/setting-names.ts";
import { webhookArguments } from "../../src/provider/arguments.ts";
import { settingRules } from "../../src/provider/config.ts";
import { schema } from "../../tools/plugin/schema.mts";

// The schema is generated from the types and docstrings of src/sdk, the rules in src, a template and the examples
// in docs. These tests compare its parts with the validation, or with a list.

type Property = { description: string; default?: unknown; defaultInfo?: { environment: string[] } };
type Properties = Record<string, Property>;

const webhook = schema.resources["dbwebhooks:index:Webhook"];
const inputs = webhook.inputProperties as Properties;
const outputs = webhook.properties as Properties;
const settings = schema.config.variables as Properties;
const adopted = schema.types["dbwebhooks:index:Adopt"].properties as Properties;

/** Returns the names of the properties that have this key in the schema. */
const namesWith = (properties: Properties, key: string) =>
  Object.keys(properties).filter((name) => key in (properties[name] ?? {}));

it("The schema of Webhook requires the arguments that the validation requires, and every output except tableId", () => {
  const required = Object.entries(webhookArguments).filter(([, { isRequired }]) => isRequired);
  const optional = Object.keys(outputs).filter((name) => !webhook.required.includes(name));

  expect(webhook.requiredInputs).toEqual(required.map(([name]) => name));
  expect(optional).toEqual(["tableId"]);
});

it("The schema of Webhook marks the properties whose change replaces the webhook, and their descriptions say so", () => {
  const replacing = ["databaseId", "url", "events", "tableId"];
  const described = Object.keys(inputs).filter((name) =>
    inputs[name]?.description.endsWith("Changing this replaces the webhook."),
  );

  expect(namesWith(inputs, "willReplaceOnChanges")).toEqual(replacing);
  expect(namesWith(outputs, "replaceOnChanges")).toEqual(replacing);
  expect(described).toEqual(replacing);
});

it("The schema of Webhook lists the known event types, accepts others in arguments, and has plain strings in the output", () => {
  const { enum: values } = schema.types["dbwebhooks:index:EventType"];

  expect(values.map(({ value }: { value: string }) => value)).toEqual(eventTypes);
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
    /^\$ pulumi import dbwebhooks:index:Webhook \w+ \w+\/\d+ --generate-code=false$/m,
  );
});

const requiredSettings = { baseUrl: "https://tables.example.com", apiKey: "key" };

it("The schema has every setting, for the stack's configuration and for an explicit provider", () => {
  expect(Object.keys(settings)).toEqual(settingNames);
  expect(schema.provider.inputProperties).toEqual(settings);
});

it.each(settingNames)("The schema has the environment variable and default of %s", (name) => {
  const { description, defaultInfo, ...setting } = settings[name] as Property;
  // Lists have no `defaultInfo`. Without a default, the description says so, or that the setting is required.
  const value = setting.default ?? "(none|no limit)";
  const text = name in requiredSettings ? "Required, here or in " : `Default: \`?${value}\\b`;
  const variables = "items" in setting ? description : defaultInfo?.environment;

  expect(variables).toContain(environmentVariables[name]);
  expect(description).toMatch(new RegExp(text));
});

it.each([
  { name: "timeoutSeconds", type: "number", tooLow: 0.0005, least: 0.001, most: 3_600 },
  { name: "retrySeconds", type: "number", tooLow: -0.001, least: 0, most: 86_400 },
] as const)(
  "The schema describes the $type $name from $least to $most, like the validation",
  (row) => {
    const { name, type, tooLow, least, most } = row;
    const limits = expect.stringContaining(`: ${least} to ${most.toLocaleString("en")}.`);
    const isAllowed = (value: number) => settingRules[name].validate(String(value)) === undefined;

    expect(settings[name]).toMatchObject({ type, description: limits });
    expect([tooLow, least, most, most + 1].filter(isAllowed)).toEqual([least, most]);
  },
);

it("The schema marks as secrets the output `secret`, the argument `adopt` and its `secret`, and the setting `apiKey`", () => {
  expect(namesWith(outputs, "secret")).toEqual(["secret"]);
  expect(namesWith(inputs, "secret")).toEqual(["adopt"]);
  expect(namesWith(adopted, "secret")).toEqual(["secret"]);
  expect(namesWith(settings, "secret")).toEqual(["apiKey"]);
});
