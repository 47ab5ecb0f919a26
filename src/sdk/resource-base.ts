// The code that the resources of `pulumi-dbwebhooks` and `pulumi-dbwebhooks/native` share.
import * as pulumi from "@pulumi/pulumi";
import type { EventType } from "../common/event-types.js";
import { assertNodeVersion } from "../common/node-version.js";
import { readOnlyText } from "../common/read-only.js";
import { isDefaultProviderName, validateSettingNames } from "../common/setting-names.js";
import type { ProviderArgs, WebhookArgs } from "./args.js";

// Not from the environment: one service could get the key of another.
const requiredSettings = ["baseUrl", "apiKey"] as const;

/** What tells the two `Webhook` classes apart. */
export interface Entry {
  /** The module that exports the class. */
  readonly module: string;
  /** The type of its resources. */
  readonly type: string;
  /** The package of its providers. */
  readonly packageName: string;
}

/** The base of the `Webhook` classes of both modules. */
export abstract class WebhookResource extends pulumi.CustomResource {
  /**
   * The key that verifies the signatures of notifications. The service reveals it only once, at creation.
   * Stored as a secret: encrypted in the state and masked in Pulumi's output.
   */
  declare readonly secret: pulumi.Output<string>;
  /** The identifier of the database. */
  declare readonly databaseId: pulumi.Output<string>;
  /** The address that receives the notifications. */
  declare readonly url: pulumi.Output<string>;
  /** The events that are sent, sorted and without duplicates. */
  declare readonly events: pulumi.Output<EventType[]>;
  /** The identifier of the one table whose events are sent; absent for all tables. */
  declare readonly tableId: pulumi.Output<string | undefined>;
  /** The base URL of the service at which the webhook was created. */
  declare readonly baseUrl: pulumi.Output<string>;

  /**
   * Is not supported: the service does not reveal the secret of an existing webhook. Export the secret from the
   * stack that manages the webhook, and use a `StackReference`.
   *
   * @throws RunError always.
   */
  static get(name: string, ..._: unknown[]): never {
    throw readOnlyError(name);
  }

  /** @param entryProperties Properties that only the webhooks of this module have. */
  constructor(
    entry: Entry,
    name: string,
    args: WebhookArgs,
    entryProperties: pulumi.Inputs,
    opts: pulumi.CustomResourceOptions | undefined,
  ) {
    assertSupportedNode();
    if (opts?.id !== undefined) {
      throw readOnlyError(name);
    }
    assertOwnProvider(name, opts, entry);
    if (opts?.deletedWith !== undefined) {
      void pulumi.log.warn(
        `Webhook ${name}: with the option deletedWith, Pulumi does not delete the webhook at the service when it deletes the other resource. Remove the option, unless that resource is the database itself.`,
      );
    }
    // A JavaScript program can omit the arguments. `pulumi preview` then reports the missing ones.
    const given: Partial<WebhookArgs> = args ?? {};
    super(
      entry.type,
      name,
      {
        // An output resolves from the state only if the properties name it.
        databaseId: undefined,
        url: undefined,
        events: undefined,
        tableId: undefined,
        secret: undefined,
        baseUrl: undefined,
        ...given,
        ...entryProperties,
      },
      pulumi.mergeOptions(opts, { additionalSecretOutputs: ["secret"] }),
    );
  }
}

/** Whether a value is a resource of this type, possibly of another copy of this package. */
export function isResourceOfType(value: unknown, type: string): boolean {
  return (value as { __pulumiType?: unknown } | null | undefined)?.__pulumiType === type;
}

/**
 * Returns the arguments of a `Provider` as Pulumi's engine expects them: every value as text, and the
 * API key as a secret.
 *
 * @param namePrefix The prefix of each argument's name.
 * @throws RunError for a name that Pulumi gives to default providers, for arguments that do not exist, and for a base URL
 * or a key that is missing or is no text.
 */
export function providerInputs(name: string, args: ProviderArgs, namePrefix = ""): pulumi.Inputs {
  assertSupportedNode();
  // A JavaScript program can omit the arguments.
  const given: Partial<ProviderArgs> = args ?? {};
  const problems = [
    ...validateSettingNames(Object.keys(given)),
    ...requiredSettings.flatMap((key) => textProblems(key, given[key])),
  ];
  if (isDefaultProviderName(name)) {
    problems.unshift(
      "Pulumi uses this name for its default provider, so the two could not be told apart; choose another name",
    );
  }
  if (problems.length > 0) {
    throw new pulumi.RunError(`Provider ${name}: ${problems.join("; ")}.`);
  }
  const inputs = Object.entries(given).map(([key, value]) => {
    const text = (pulumi.output(value) as pulumi.Output<unknown>).apply((known) => {
      assertText(name, key, known);
      return textOf(known);
    });
    return [namePrefix + key, key === "apiKey" ? pulumi.secret(text) : text];
  });
  return Object.fromEntries(inputs);
}

/** Throws for a required setting that an Output has turned out to be no text. */
function assertText(name: string, key: string, value: unknown): void {
  const [problem] = requiredSettings.some((one) => one === key) ? textProblems(key, value) : [];
  if (problem !== undefined) {
    throw new pulumi.RunError(`Provider ${name}: ${problem}.`);
  }
}

/** Says why a value cannot be a base URL or a key. What an Output or a promise holds is not known yet. */
function textProblems(key: string, value: unknown): string[] {
  if (value === undefined || value === null || value === "") {
    return [`${key}: is not set; give ${key} to the Provider`];
  }
  const isKnown = !pulumi.Output.isInstance(value) && !(value instanceof Promise);
  return isKnown && typeof value !== "string" ? [`${key}: must be text`] : [];
}

/** Returns a value as text, as in Pulumi's generated SDKs: values other than strings become JSON. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) {
    return undefined;
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Ends a program on an old Node.js with an error that Pulumi shows without a stack trace. */
function assertSupportedNode(): void {
  try {
    assertNodeVersion("pulumi-dbwebhooks", process.versions.node);
  } catch (error) {
    throw new pulumi.RunError((error as Error).message);
  }
}

/** Returns the error for a webhook that would only be read. */
function readOnlyError(name: string): pulumi.RunError {
  return new pulumi.RunError(`Webhook ${name}: ${readOnlyText}`);
}

/**
 * Throws for a provider of another package, such as the `Provider` of the other module: Pulumi would ask it for
 * a resource that it does not have.
 */
function assertOwnProvider(
  name: string,
  opts: pulumi.CustomResourceOptions | undefined,
  { packageName, module }: Entry,
): void {
  // Pulumi's SDK stores the package of a provider in this internal property.
  const { pkg } = (opts?.provider ?? {}) as { pkg?: unknown };
  if (typeof pkg === "string" && pkg !== packageName) {
    throw new pulumi.RunError(
      `Webhook ${name}: its provider is of another package (${pkg}). Import Webhook and Provider from the same module: this Webhook is from "${module}".`,
    );
  }
}
