import { kindOf } from "../errors.ts";
import { startProvider } from "../provider.ts";
import type { Creation, Deletion } from "./history.ts";
import { baseUrl, databaseId, type Resource, retrySeconds } from "./resources.ts";
import type { World } from "./world.ts";

/** Calls the real provider as Pulumi does, and records what the provider learns and returns. */
export class Pulumi {
  readonly world: World;
  readonly #provider: ReturnType<typeof startProvider>;

  constructor(world: World) {
    this.world = world;
    const secrets = world.resources.map(({ old }) => [
      `${databaseId}/${old?.webhook.id}`,
      old?.webhook.secret,
    ]);
    const settings = { listing: String(world.play.listing), retrySeconds: String(retrySeconds) };
    const environment = { DBWEBHOOKS_IMPORT_SECRET: JSON.stringify(Object.fromEntries(secrets)) };
    this.#provider = startProvider(
      { baseUrl, ...settings },
      { engine: world.engine.monitor, environment },
    );
  }

  /** Returns whether the arguments are accepted. */
  async check(resource: Resource, olds: object, news: object): Promise<boolean> {
    if ("adopt" in news) this.#learn("known", resource);
    const options = this.#optionsOf(resource);
    const { failures } = await this.#provider.check({ ...olds }, { ...news }, options);
    return failures.length === 0;
  }

  /** Returns whether the provider wants to replace the webhook. */
  async compare(resource: Resource, changes: object = {}): Promise<boolean> {
    const { args, old } = resource;
    if (!old) return false;
    this.#learn("known", resource);
    const news = { ...args, ...changes };
    const options = this.#optionsOf(resource);
    const { changes: hasChanges } = await this.#provider.diff(
      old.webhook.id,
      old.state,
      news,
      options,
    );
    return hasChanges;
  }

  /** Creates or adopts a webhook. Returns whether Pulumi can store it. */
  async create(resource: Resource, args: object = resource.args): Promise<boolean> {
    const { history } = this.world;
    const creation: Creation = { resource, beganAt: history.now() };
    history.creations.push(creation);
    try {
      const { id, outs } = await this.#provider.create({ ...args }, this.#optionsOf(resource));
      creation.stored = { id, secret: (outs.secret as { value: string }).value };
    } catch (error) {
      creation.error = describe(error);
    }
    creation.endedAt = history.now();
    return creation.error === undefined;
  }

  /** Returns whether the provider still finds the webhook. */
  async refresh(resource: Resource): Promise<boolean> {
    const { old } = resource;
    if (!old) return false;
    this.#learn("known", resource);
    const options = this.#optionsOf(resource);
    const found = await this.#provider.read(old.webhook.id, old.state, options);
    if (found.id === "") this.#learn("gone", resource);
    return found.id !== "";
  }

  /** Returns whether the import succeeded. */
  async import(resource: Resource): Promise<boolean> {
    const id = resource.old?.webhook.id ?? "";
    const importing = this.#provider.import(id, databaseId, this.#optionsOf(resource));
    const isImported = await importing.then(
      () => true,
      () => false,
    );
    if (isImported && resource.old) {
      this.#learn("known", resource);
      this.world.history.imports.push(resource.old.webhook);
    }
    return isImported;
  }

  /** Deletes the webhook in the state. Returns whether the deletion succeeded. */
  async delete(resource: Resource): Promise<boolean> {
    const { old } = resource;
    if (!old) return true;
    const { webhook } = old;
    const { history, service } = this.world;
    const deletion: Deletion = { resource, webhook, beganAt: history.now() };
    history.deletions.push(deletion);
    this.#learn("known", resource);
    await this.#provider
      .delete(webhook.id, old.state, this.#optionsOf(resource))
      .catch((error: unknown) => {
        deletion.error = describe(error);
      });
    // A deletion can succeed because the webhook must stay: the provider then still knows it.
    const isGone = service.webhooks.get(webhook.id) !== webhook || deletion.wasDenied;
    if (!deletion.error && isGone) this.#learn("gone", resource);
    deletion.endedAt = history.now();
    return !deletion.error;
  }

  /** The webhooks of another service have numbers of their own. */
  #learn(kind: "known" | "gone", { old, kind: operation }: Resource): void {
    if (old && operation !== "elsewhere") this.world.history.learn(kind, old.webhook.id);
  }

  #optionsOf({ number }: Resource) {
    const notify = (line: string) => void this.world.history.lines.push(line);
    return { urn: `urn:${number}`, notify };
  }
}

function describe(error: unknown) {
  const { message } = error as Error;
  return { kind: kindOf({ message }), message };
}
