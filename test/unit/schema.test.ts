import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { environmentVariables, settingNames } from "../../src/common/setting-names.js";
import { webhookArguments } from "../../src/provider/arguments.js";
import { settingRules } from "../../src/provider/config.js";
import { schema } from "../../tools/plugin/schema.mjs";

// The schema is generated from the types and docstrings of src/sdk and from what src knows of arguments and
// settings. These tests compare the types and docstrings with the validation.

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
  it("requires the arguments that the validation requires", () => {
    const required = Object.entries(webhookArguments).filter(([, { isRequired }]) => isRequired);

    expect(webhook.requiredInputs).toEqual(required.map(([name]) => name));
  });

  it("requires every output except tableId", () => {
    const optional = Object.keys(outputs).filter((name) => !webhook.required.includes(name));

    expect(optional).toEqual(["tableId"]);
  });

  it("marks the properties whose change replaces the webhook, and their descriptions say so", () => {
    const replacing = ["databaseId", "events", "tableId", "url"];
    const described = Object.keys(inputs).filter((name) =>
      inputs[name]?.description.endsWith("Changing this replaces the webhook."),
    );

    expect(namesWith(inputs, "willReplaceOnChanges")).toEqual(replacing);
    expect(namesWith(outputs, "replaceOnChanges")).toEqual(replacing);
    expect(described.toSorted()).toEqual(replacing);
  });

  it("lists the known event types, and accepts others in arguments", () => {
    const { enum: values } = schema.types["dbwebhooks:index:EventType"];

    expect(values.map(({ value }: { value: string }) => value)).toEqual(eventTypes);
    expect(inputs.events).toMatchObject({
      type: "array",
      items: { oneOf: [{ type: "string" }, { $ref: "#/types/dbwebhooks:index:EventType" }] },
    });
    expect(outputs.events).toMatchObject({ type: "array", items: { type: "string" } });
  });

  it("has an example in each language, and the command of an import", () => {
    const languages = [...webhook.description.matchAll(/^```(\w+)$/gm)].map(([, name]) => name);

    expect(languages).toEqual(["typescript", "python", "go", "csharp", "java", "yaml", "sh"]);
  });
});

describe("The schema of the settings", () => {
  const required = { baseUrl: "https://tables.example.com", apiKey: "key" };
  const isAllowed = (name: string, value: number) =>
    settingRules(false).safeParse({ ...required, [name]: String(value) }).success;

  const optional = settingNames.filter((name) => !(name in required));

  it("is the same for the stack's configuration and for an explicit provider", () => {
    expect(Object.keys(settings)).toEqual(settingNames);
    expect(schema.provider.inputProperties).toEqual(settings);
  });

  it.each(settingNames)("names the environment variable of %s", (name) => {
    const { defaultInfo, description } = settings[name] as Property;

    const text = [description, ...(defaultInfo?.environment ?? [])].join(" ");
    expect(text).toContain(environmentVariables[name]);
  });

  it.each(Object.keys(required))("describes %s as required", (name) => {
    expect(settings[name]?.description).toContain("Required, here or in ");
  });

  it.each(optional)("describes the default of %s, or that there is none", (name) => {
    const { description, default: value = "(none|no limit)" } = settings[name] as Property;

    expect(description).toMatch(new RegExp(`Default: \`?${value}\\b`));
  });

  it.each([
    { name: "timeoutSeconds", type: "number", isFractionAllowed: true },
    { name: "retrySeconds", type: "number", isFractionAllowed: true },
    { name: "maxConcurrentRequests", type: "integer", isFractionAllowed: false },
    { name: "requestsPerSecond", type: "number", isFractionAllowed: true },
  ])("gives $name the type $type, and describes the limits that the validation has", (row) => {
    const { description, type } = settings[row.name] as Property;
    const range = /: ([\d.]+) to (\d+)\./.exec(description.replaceAll(",", ""));
    const [, least = Number.NaN, most = Number.NaN] = range?.map(Number) ?? [];

    const values = [least - 0.0005, least, least + 0.5, most, most + 1];
    const allowed = [least, ...(row.isFractionAllowed ? [least + 0.5] : []), most];
    expect(type).toBe(row.type);
    expect(values.filter((value) => isAllowed(row.name, value))).toEqual(allowed);
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
