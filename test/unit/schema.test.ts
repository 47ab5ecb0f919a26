import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { environmentVariables } from "../../src/common/setting-names.js";
import { replacingArguments, webhookArguments } from "../../src/provider/arguments.js";
import { settingRules as accountSettings } from "../../src/provider/config.js";
import { completeSchema } from "../../tools/plugin/schema.mjs";

const schema = completeSchema();

interface Property {
  readonly type?: string;
  readonly description: string;
  readonly default?: unknown;
  readonly secret?: boolean;
  readonly replaceOnChanges?: boolean;
  readonly willReplaceOnChanges?: boolean;
  readonly defaultInfo?: { readonly environment: readonly string[] };
}

type Properties = Readonly<Record<string, Property>>;

const webhook = schema.resources["dbwebhooks:index:Webhook"];
const { Adopt, EventType } = Object.fromEntries(
  Object.entries<never>(schema.types).map(([token, type]) => [token.split(":")[2], type]),
);
const inputs: Properties = webhook.inputProperties;
const outputs: Properties = webhook.properties;
const settings: Properties = schema.config.variables;

function namesWith(properties: Properties, key: keyof Property): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.[key] === true);
}

describe("The schema of Webhook", () => {
  it("has the arguments of the table, and requires what has no rule for its absence", () => {
    const required = Object.entries(webhookArguments)
      .filter(([, { isRequired }]) => isRequired)
      .map(([name]) => name);

    expect(Object.keys(inputs)).toEqual(Object.keys(webhookArguments));
    expect(webhook.requiredInputs).toEqual(required);
    expect(webhook.required).toEqual(Object.keys(outputs).filter((name) => name !== "tableId"));
  });

  it("says of the same arguments that a change replaces", () => {
    expect(namesWith(inputs, "willReplaceOnChanges")).toEqual(replacingArguments);
    expect(namesWith(outputs, "replaceOnChanges")).toEqual(replacingArguments);
    const described = Object.keys(inputs).filter((name) =>
      inputs[name]?.description.includes("Changing this replaces the webhook."),
    );
    expect(described).toEqual(replacingArguments);
  });

  it("has the events that there are, and takes any other text", () => {
    const { enum: values } = EventType as unknown as { enum: { value: string }[] };

    expect(values.map(({ value }) => value)).toEqual(eventTypes);
    expect(webhook.inputProperties.events.items.oneOf).toEqual([
      { type: "string" },
      { $ref: "#/types/dbwebhooks:index:EventType" },
    ]);
  });
});

describe("The schema of the settings", () => {
  const required = { baseUrl: "https://tables.example.com", apiKey: "key" };

  it("has the settings that there are, each with its environment variable, twice", () => {
    // Pulumi's SDKs read no list from a variable: the plugin does, and the description says so.
    const variables = Object.entries(settings).map(([name, { type, defaultInfo, description }]) => [
      name,
      type === "array" ? /`(DBWEBHOOKS_\w+)`/.exec(description)?.[1] : defaultInfo?.environment[0],
    ]);

    expect(variables).toEqual(Object.entries(environmentVariables));
    expect(schema.provider.inputProperties).toEqual(settings);
  });

  it.each(Object.entries(settings))("has the default and the limits of %s", (name, property) => {
    const { type, description, default: ofSchema } = property;
    const value = (accountSettings(false).parse(required) as Record<string, unknown>)[name];
    const isAllowed = (number: number) =>
      accountSettings(false).safeParse({ ...required, [name]: String(number) }).success;
    const [, least, most] =
      /: ([\d.]+) to (\d+)\./.exec(description.replaceAll(",", ""))?.map(Number) ?? [];

    const isOptional = !(name in required) && value !== undefined && !Array.isArray(value);
    const told = name in required ? "Required." : isOptional ? `${value}` : /no limit|or none\./;
    expect(ofSchema).toBe(isOptional ? value : undefined);
    expect(description).toMatch(told);
    expect(least !== undefined).toBe(type === "number" || type === "integer");
    if (least !== undefined && most !== undefined) {
      const allowed = [least, most, least - 0.0005, most + 1].map(isAllowed);
      expect(allowed).toEqual([true, true, false, false]);
    }
  });
});

describe("The schema", () => {
  it("marks what is secret", () => {
    const { properties } = Adopt as unknown as { properties: Properties };

    const secrets = [outputs, inputs, properties, settings].map((one) => namesWith(one, "secret"));
    expect(secrets).toEqual([["secret"], ["adopt"], ["secret"], ["apiKey"]]);
  });

  it("has an example in each language, and gives no SDK a name that is Pulumi's own", () => {
    const languages = [...webhook.description.matchAll(/^```(\w+)$/gm)].map(([, name]) => name);
    const { csharp, java, nodejs } = schema.language;

    expect(languages).toEqual(["typescript", "python", "go", "csharp", "java", "yaml", "sh"]);
    expect(nodejs.packageName).not.toMatch(/^(@pulumi\/|pulumi-dbwebhooks$)/);
    expect(csharp.rootNamespace).not.toMatch(/^Pulumi\b/);
    expect(java.basePackage).not.toMatch(/^com\.pulumi\b/);
  });

  it("describes all that it names", () => {
    const described = [inputs, outputs, settings, schema.types].flatMap<Property>(Object.values);

    for (const { description } of [...described, schema, schema.provider]) {
      expect(description).toMatch(/[.]$/);
    }
  });
});
