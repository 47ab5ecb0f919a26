// The code that the webhooks of `pulumi-dbwebhooks` and `pulumi-dbwebhooks/native` share.
import * as pulumi from "@pulumi/pulumi";
import type { EventType } from "../common/event-types.js";
import { unsupportedGetText } from "../common/unsupported-get.js";
import { type ArgumentName, argumentNames, webhookFields } from "../common/webhook-fields.js";
import type { WebhookArgs } from "./args.js";
import { givenArgs, isPending } from "./given-args.js";

/** The properties in which the two `Webhook` classes differ. */
interface WebhookModule {
  /** The module that exports the class. */
  readonly module: string;
  readonly type: string;
  /**
   * The type of the resources of the other module. Both have the same state, so this alias lets a
   * webhook move between the modules.
   */
  readonly otherType: string;
  /** The package of its providers. */
  readonly packageName: string;
}

/** The base of the `Webhook` classes of both modules. */
export abstract class WebhookResource extends pulumi.CustomResource {
  /**
   * The signing secret, with which receivers verify notifications. The service reveals it only
   * once, at creation. Stored as a secret: encrypted in the state and masked in Pulumi's output.
   */
  declare readonly secret: pulumi.Output<string>;
  /** The identifier of the database. */
  declare readonly databaseId: pulumi.Output<string>;
  /** The URL that receives the notifications. */
  declare readonly url: pulumi.Output<string>;
  /** The events that are sent, sorted and without duplicates. */
  declare readonly events: pulumi.Output<EventType[]>;
  /** The identifier of the one table whose events are sent; absent for all tables. */
  declare readonly tableId: pulumi.Output<string | undefined>;
  /**
   * The base URL of the service at which the webhook was created, as the URL standard normalizes
   * it, without a slash at the end.
   */
  declare readonly baseUrl: pulumi.Output<string>;

  /** @param moduleProperties Properties that only the webhooks of this module have. */
  constructor(
    webhookModule: WebhookModule,
    name: string,
    args: WebhookArgs,
    moduleProperties: pulumi.Inputs,
    opts: pulumi.CustomResourceOptions | undefined,
  ) {
    if (opts?.id !== undefined) {
      throw unsupportedGetError(name);
    }
    assertOwnProvider(name, opts, webhookModule);
    // `pulumi preview` reports missing ones.
    const given = givenArgs(`Webhook ${name}`, args);
    // JavaScript programs also pass null, one alias without a list, and `condition && alias`.
    const aliases = [opts?.aliases ?? []].flat().filter(Boolean);
    super(
      webhookModule.type,
      name,
      { ...unresolvedOutputs, ...propertiesOf(given), ...moduleProperties },
      pulumi.mergeOptions(
        { ...opts, aliases },
        {
          additionalSecretOutputs: ["secret"],
          aliases: aliasesOf(webhookModule.otherType, aliases),
        },
      ),
    );
  }
}

/**
 * Reads each argument once, by its name: a spread would drop getters of a class and inherited
 * properties. Other names of the object are for `pulumi preview` to refuse. A key without a value
 * would become an output of the resource.
 */
function propertiesOf(args: Partial<WebhookArgs>): pulumi.Inputs {
  const names = new Set([...argumentNames, ...(Object.keys(args) as ArgumentName[])]);
  const properties = [...names].map((name) => [name, args[name]] as const);
  return Object.fromEntries(properties.filter(([, value]) => value !== undefined));
}

type Alias = pulumi.URN | pulumi.Alias;

/**
 * Returns the aliases with which a webhook of the other module keeps its state: one for the type
 * alone, and one for each alias of the program that names no type, because Pulumi does not combine
 * a former type with a former name or parent.
 */
function aliasesOf(
  otherType: string,
  aliases: readonly pulumi.Input<Alias>[],
): pulumi.Input<Alias>[] {
  const copyOf = (alias: Alias): Alias =>
    hasNoType(alias) ? { ...alias, type: otherType } : alias;
  const copies = aliases
    .filter((alias) => isPending(alias) || hasNoType(alias))
    // A pending alias can turn out to need no copy. Pulumi then gets it twice, and uses it once.
    .map((alias) => (isPending(alias) ? pulumi.output(alias).apply(copyOf) : copyOf(alias)));
  return [{ type: otherType }, ...copies];
}

/** Whether an alias is no URN, and names no type. */
function hasNoType(alias: Alias): alias is pulumi.Alias {
  return typeof alias === "object" && alias.type === undefined;
}

// An output resolves from the state only if the properties name it.
const outputs: readonly (keyof WebhookResource)[] = [...webhookFields, "secret", "baseUrl"];
const unresolvedOutputs = Object.fromEntries(outputs.map((name) => [name, undefined]));

/** Whether a value is a resource of this type, possibly of another copy of this package. */
export function isResourceOfType(value: unknown, type: string): boolean {
  return (value as { __pulumiType?: unknown } | null | undefined)?.__pulumiType === type;
}

function unsupportedGetError(name: string): pulumi.RunError {
  return new pulumi.RunError(`Webhook ${name}: ${unsupportedGetText}`);
}

/**
 * Throws for a provider of another package, such as the `Provider` of the other module: Pulumi
 * would ask it for a resource that it does not have.
 */
function assertOwnProvider(
  name: string,
  opts: pulumi.CustomResourceOptions | undefined,
  { packageName, module }: WebhookModule,
): void {
  // Pulumi's SDK stores the package of a provider in this internal property.
  const { pkg } = (opts?.provider ?? {}) as { pkg?: unknown };
  if (typeof pkg === "string" && pkg !== packageName) {
    throw new pulumi.RunError(
      `Webhook ${name}: its provider is of another package (${pkg}). Import Webhook and Provider from the same module: this Webhook is from "${module}".`,
    );
  }
}
