import { describe, expect, it } from "vitest";
import { eventTypes } from "../../src/common/event-types.js";
import { environmentVariables, settingNames } from "../../src/common/setting-names.js";
import { replacingArguments, webhookArguments } from "../../src/core/arguments.js";
import { accountSettings } from "../../src/service/settings.js";
import { completeSchema } from "../../tools/plugin/schema.mjs";
import { readPage, rowsOf } from "../helpers/markdown.js";

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
const inputs: Properties = webhook.inputProperties;
const outputs: Properties = webhook.properties;

function namesWith(properties: Properties, key: keyof Property): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.[key] === true);
}

describe("The schema of Webhook", () => {
  it("has the arguments that there are", () => {
    expect(Object.keys(inputs)).toEqual(Object.keys(webhookArguments));
  });

  it("requires what has no rule for its absence", () => {
    const allowances = { allowUnknownEvents: false, allowInsecureUrl: false };
    const required = Object.entries(webhookArguments)
      .filter(([, { rule }]) => !rule(allowances).safeParse(undefined).success)
      .map(([name]) => name);

    expect(webhook.requiredInputs).toEqual(required);
  });

  it("says of the same arguments that a change replaces", () => {
    expect(namesWith(inputs, "willReplaceOnChanges")).toEqual(replacingArguments);
    expect(namesWith(outputs, "replaceOnChanges")).toEqual(replacingArguments);
    for (const [name, { change }] of Object.entries(webhookArguments)) {
      const sentence = {
        replace: "Changing this replaces the webhook.",
        local: "Changing this changes nothing at the service.",
        adopt: "Another `id` replaces the webhook.",
      }[change];
      expect(inputs[name]?.description).toContain(sentence);
    }
  });

  it("has the outputs that the README lists, and the number of the webhook", () => {
    const rows = rowsOf(readPage("README.md").split("\n## Outputs\n")[1] ?? "");
    const listed = rows
      .filter(({ head }) => head[2] === "secret?")
      .map(({ cells }) => cells[0]?.replaceAll("`", ""));

    const names = Object.keys(outputs).map((name) => (name === "webhookId" ? "id" : name));
    expect(names.toSorted()).toEqual(listed.toSorted());
    expect(webhook.required).toEqual(Object.keys(outputs).filter((name) => name !== "tableId"));
  });

  it("marks what is secret", () => {
    expect(namesWith(outputs, "secret")).toEqual(["secret"]);
    expect(namesWith(inputs, "secret")).toEqual(["adopt"]);
    expect(namesWith(schema.types["dbwebhooks:index:Adopt"].properties, "secret")).toEqual([
      "secret",
    ]);
  });

  it("has the events that there are, and takes any other text", () => {
    const values = schema.types["dbwebhooks:index:EventType"].enum.map(
      ({ value }: { value: string }) => value,
    );

    expect(values).toEqual(eventTypes);
    expect(webhook.inputProperties.events.items.oneOf).toEqual([
      { type: "string" },
      { $ref: "#/types/dbwebhooks:index:EventType" },
    ]);
  });
});

describe("The schema of the settings", () => {
  const settings: Properties = schema.config.variables;
  const required = { baseUrl: "https://tables.example.com", apiKey: "key" };

  it("has the settings that there are, each with its environment variable", () => {
    // Pulumi's SDKs read no list from a variable: the plugin does, and the description says so.
    const variables = Object.entries(settings).map(([name, { type, defaultInfo, description }]) => [
      name,
      type === "array" ? /`(DBWEBHOOKS_\w+)`/.exec(description)?.[1] : defaultInfo?.environment[0],
    ]);

    expect(variables).toEqual(Object.entries(environmentVariables));
  });

  it("says what the defaults are", () => {
    const defaults: Record<string, unknown> = accountSettings(false).parse(required);

    for (const name of settingNames) {
      const { description, default: ofSchema } = settings[name] as Property;
      const value = defaults[name];
      if (name in required) {
        expect(description).toContain("Required.");
      } else if (value === undefined || Array.isArray(value)) {
        expect([value ?? [], ofSchema]).toEqual([[], undefined]);
        expect(description).toMatch(/Default: (no limit|.* or none\.)/);
      } else {
        expect(ofSchema).toBe(value);
        expect(description).toMatch(new RegExp(`Default: \`?${value}\`?\\.$`));
      }
    }
  });

  it("says between which limits a number is", () => {
    for (const [name, { type, description }] of Object.entries(settings)) {
      const [, least, most] =
        /: ([\d.,]+) to ([\d,]+)\./.exec(description.replaceAll(",", ""))?.map(Number) ?? [];
      expect(least !== undefined).toBe(type === "number" || type === "integer");
      const isAllowed = (value: number) =>
        accountSettings(false).safeParse({ ...required, [name]: String(value) }).success;
      if (least !== undefined && most !== undefined) {
        expect([least, most, least - 0.0005, most + 1].map(isAllowed), name).toEqual([
          true,
          true,
          false,
          false,
        ]);
      }
    }
  });

  it("marks the key as secret, and nothing else", () => {
    expect(namesWith(settings, "secret")).toEqual(["apiKey"]);
  });

  it("is that of the provider's arguments, too", () => {
    expect(schema.provider.inputProperties).toEqual(settings);
  });
});

describe("The schema", () => {
  it("has an example in each language, and says how to import", () => {
    const languages = [...webhook.description.matchAll(/^```(\w+)$/gm)].map(([, name]) => name);

    expect(languages).toEqual(["typescript", "python", "go", "csharp", "java", "yaml", "sh"]);
  });

  it("gives no SDK a name that is Pulumi's own", () => {
    const { csharp, java, nodejs } = schema.language;

    expect(nodejs.packageName).not.toMatch(/^(@pulumi\/|pulumi-dbwebhooks$)/);
    expect(csharp.rootNamespace).not.toMatch(/^Pulumi\b/);
    expect(java.basePackage).not.toMatch(/^com\.pulumi\b/);
  });

  it("describes all that it names", () => {
    const descriptions = [
      ...Object.values(inputs),
      ...Object.values(outputs),
      ...Object.values<Property>(schema.types),
      ...Object.values<Property>(schema.config.variables),
      schema,
      schema.provider,
    ].map(({ description }) => description);

    for (const description of descriptions) {
      expect(description).toMatch(/[.]$/);
    }
  });
});
