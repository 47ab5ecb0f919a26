import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { environmentVariables, settingNames } from "../../src/common/setting-names.js";
import { webhookArguments } from "../../src/provider/arguments.js";
import { settingRules } from "../../src/provider/config.js";
import { schema } from "../../tools/plugin/schema.mjs";

// The schema is generated from the types and docstrings of src/sdk and from the tables of src. These
// tests compare the docstrings and the types with the rules.

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
  return Object.keys(properties).filter((name) => properties[name]?.[key] === true);
}

describe("The schema of Webhook", () => {
  it("requires the arguments whose rules refuse their absence, and every output but tableId", () => {
    const required = Object.entries(webhookArguments)
      .filter(([, { isRequired }]) => isRequired)
      .map(([name]) => name);

    expect(webhook.requiredInputs).toEqual(required);
    expect(Object.keys(outputs).filter((name) => !webhook.required.includes(name))).toEqual([
      "tableId",
    ]);
  });

  it("marks the properties whose change replaces the webhook, and their descriptions say so", () => {
    const replacing = ["databaseId", "url", "events", "tableId"];
    const described = Object.keys(inputs).filter((name) =>
      inputs[name]?.description.endsWith("Changing this replaces the webhook."),
    );

    expect(namesWith(inputs, "willReplaceOnChanges")).toEqual(replacing);
    expect(namesWith(outputs, "replaceOnChanges").toSorted()).toEqual(replacing.toSorted());
    expect(described).toEqual(replacing);
  });

  it("names every known event, and accepts other events in arguments", () => {
    const { enum: values } = schema.types["dbwebhooks:index:EventType"];

    expect(values.map(({ value }: { value: string }) => value)).toEqual(eventTypes);
    expect(inputs.events).toMatchObject({
      type: "array",
      items: { oneOf: [{ type: "string" }, { $ref: "#/types/dbwebhooks:index:EventType" }] },
    });
    expect(outputs.events).toMatchObject({ type: "array", items: { type: "string" } });
  });
});

describe("The schema of the settings", () => {
  const required = { baseUrl: "https://tables.example.com", apiKey: "key" };

  it("is the same for the stack's configuration and for an explicit provider", () => {
    expect(Object.keys(settings)).toEqual(settingNames);
    expect(schema.provider.inputProperties).toEqual(settings);
  });

  it.each(settingNames)("describes the default of %s and names its variable", (name) => {
    const { type, description, ...property } = settings[name] as Property;
    const variable = environmentVariables[name];

    const value = property.default ?? "n(o limit|one)";
    const told = name in required ? `Required, here or in \`${variable}\`` : `Default: \`?${value}`;
    expect(description).toMatch(new RegExp(told));
    // Pulumi reads no list from a variable. The plugin does, and the description says so.
    const read = type === "array" ? [/`(\w+)` holds/.exec(description)?.[1]] : [variable];
    expect(read).toEqual(property.defaultInfo?.environment ?? [variable]);
  });

  it.each([
    ["timeoutSeconds", "number"],
    ["retrySeconds", "number"],
    ["maxConcurrentRequests", "integer"],
    ["requestsPerSecond", "number"],
  ])("describes the limits of %s as its rule has them, with the type %s", (name, type) => {
    const description = settings[name]?.description.replaceAll(",", "") ?? "";
    const [, least = 0, most = 0] = /: ([\d.]+) to (\d+)\./.exec(description)?.map(Number) ?? [];
    const isAllowed = (value: number) =>
      settingRules(false).safeParse({ ...required, [name]: String(value) }).success;

    expect(settings[name]?.type).toBe(type);
    expect([least, most, least - 0.0005, most + 1].map(isAllowed)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(isAllowed(least + 0.5)).toBe(type === "number");
  });
});

describe("The schema", () => {
  it("marks secrets", () => {
    const secrets = [outputs, inputs, adopted, settings].map((one) => namesWith(one, "secret"));

    expect(secrets).toEqual([["secret"], ["adopt"], ["secret"], ["apiKey"]]);
  });

  it("has an example in each language, and gives no SDK a name that belongs to Pulumi", () => {
    const languages = [...webhook.description.matchAll(/^```(\w+)$/gm)].map(([, name]) => name);
    const { csharp, java, nodejs } = schema.language;

    expect(languages).toEqual(["typescript", "python", "go", "csharp", "java", "yaml", "sh"]);
    expect(nodejs.packageName).not.toMatch(/^(@pulumi\/|pulumi-dbwebhooks$)/);
    expect(csharp.rootNamespace).not.toMatch(/^Pulumi\b/);
    expect(java.basePackage).not.toMatch(/^com\.pulumi\b/);
  });

  it("describes everything that it names, in sentences and without TypeScript's links", () => {
    const all = [inputs, outputs, settings, adopted, schema.types];
    const described = all.flatMap<Property>((one) => Object.values(one));

    for (const { description } of [...described, schema, schema.provider]) {
      expect(description).toMatch(/[.]$/);
      expect(description).not.toContain("{@link");
    }
  });
});
