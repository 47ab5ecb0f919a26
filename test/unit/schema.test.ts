import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { environmentVariables, settingNames } from "../../src/common/setting-names.js";
import { webhookArguments } from "../../src/provider/arguments.js";
import { settingRules } from "../../src/provider/config.js";
import { schema } from "../../tools/plugin/schema.mjs";

// The schema is generated from the types and docstrings of src/sdk and from the tables of src. These
// tests compare the types and the docstrings with the rules.

interface Property {
  readonly type?: string;
  readonly description: string;
  readonly secret?: boolean;
  readonly replaceOnChanges?: boolean;
  readonly willReplaceOnChanges?: boolean;
  readonly default?: unknown;
  readonly defaultInfo?: { readonly environment: readonly string[] };
}

type Properties = Readonly<Record<string, Property>>;

const webhook = schema.resources["dbwebhooks:index:Webhook"];
const inputs = webhook.inputProperties as Properties;
const outputs = webhook.properties as Properties;
const settings = schema.config.variables as Properties;
const adopted = schema.types["dbwebhooks:index:Adopt"].properties as Properties;

function namesWith(properties: Properties, key: keyof Property): string[] {
  return Object.keys(properties)
    .filter((name) => properties[name]?.[key] === true)
    .toSorted();
}

describe("The schema of Webhook", () => {
  it("requires the arguments whose rules refuse their absence", () => {
    const required = Object.entries(webhookArguments).filter(([, { isRequired }]) => isRequired);

    expect(webhook.requiredInputs).toEqual(required.map(([name]) => name));
  });

  it("promises every output but tableId", () => {
    const optional = Object.keys(outputs).filter((name) => !webhook.required.includes(name));

    expect(optional).toEqual(["tableId"]);
  });

  it("marks and describes the properties whose change replaces the webhook", () => {
    const replacing = ["databaseId", "events", "tableId", "url"];
    const described = Object.keys(inputs).filter((name) =>
      inputs[name]?.description.endsWith("Changing this replaces the webhook."),
    );

    expect(namesWith(inputs, "willReplaceOnChanges")).toEqual(replacing);
    expect(namesWith(outputs, "replaceOnChanges")).toEqual(replacing);
    expect(described.toSorted()).toEqual(replacing);
  });

  it("names the known events, and accepts others in arguments", () => {
    const { enum: values } = schema.types["dbwebhooks:index:EventType"];

    expect(values.map(({ value }: { value: string }) => value)).toEqual(eventTypes);
    expect(inputs.events).toMatchObject({
      type: "array",
      items: { oneOf: [{ type: "string" }, { $ref: "#/types/dbwebhooks:index:EventType" }] },
    });
    expect(outputs.events).toMatchObject({ type: "array", items: { type: "string" } });
  });

  it("has an example in each language", () => {
    const languages = [...webhook.description.matchAll(/^```(\w+)$/gm)].map(([, name]) => name);

    expect(languages).toEqual(["typescript", "python", "go", "csharp", "java", "yaml", "sh"]);
  });
});

describe("The schema of the settings", () => {
  const required = { baseUrl: "https://tables.example.com", apiKey: "key" };
  const isAllowed = (name: string, value: number) =>
    settingRules(false).safeParse({ ...required, [name]: String(value) }).success;

  it("is the same for the stack's configuration and for an explicit provider", () => {
    expect(Object.keys(settings)).toEqual(settingNames);
    expect(schema.provider.inputProperties).toEqual(settings);
  });

  it.each(settingNames)("names the variable of %s where Pulumi reads it or the plugin", (name) => {
    const { defaultInfo, description } = settings[name] as Property;
    const variables = defaultInfo?.environment ?? /DBWEBHOOKS_\w+/.exec(description);

    expect(variables).toContain(environmentVariables[name]);
  });

  it.each(settingNames)("describes the default of %s", (name) => {
    const { description, default: value = "n(o limit|one)" } = settings[name] as Property;
    const expected = name in required ? "Required, here or in " : `Default: \`?${value}`;

    expect(description).toMatch(new RegExp(expected));
  });

  it.each([
    ["timeoutSeconds", "number"],
    ["retrySeconds", "number"],
    ["maxConcurrentRequests", "integer"],
    ["requestsPerSecond", "number"],
  ])("describes the limits of %s as its rule has them, with the type %s", (name, type) => {
    const description = settings[name]?.description.replaceAll(",", "") ?? "";
    const [, least = 0, most = 0] = /: ([\d.]+) to (\d+)\./.exec(description)?.map(Number) ?? [];

    expect([least, most].map((value) => isAllowed(name, value))).toEqual([true, true]);
    expect([least - 0.0005, most + 1].map((value) => isAllowed(name, value))).toEqual([
      false,
      false,
    ]);
    expect(settings[name]?.type).toBe(type);
    expect(isAllowed(name, least + 0.5)).toBe(type === "number");
  });
});

describe("The schema", () => {
  it.each([
    { of: "outputs", properties: outputs, secrets: ["secret"] },
    { of: "arguments", properties: inputs, secrets: ["adopt"] },
    { of: "the argument adopt", properties: adopted, secrets: ["secret"] },
    { of: "settings", properties: settings, secrets: ["apiKey"] },
  ])("marks the secrets of $of", ({ properties, secrets }) => {
    expect(namesWith(properties, "secret")).toEqual(secrets);
  });
});
