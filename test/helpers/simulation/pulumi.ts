import { Transport } from "../../../src/api/transport.ts";
import type { Notify } from "../../../src/provider/command/reporter.ts";
import { apiKey, someSettings } from "../builders.ts";
import { kindOf } from "../errors.ts";
import { startProvider } from "../provider.ts";
import type { Creation, Deletion } from "./history.ts";
import { baseUrl, type Resource, retrySeconds } from "./resources.ts";
import type { World } from "./world.ts";

/** Calls the real provider as Pulumi does, and records what the provider learns and returns. */
export class Pulumi {
  readonly world: World;
  readonly #provider: ReturnType<typeof startProvider>;

  constructor(world: World) {
    this.world = world;
    const { listing } = world.play;
    const described = world.resources.map(({ args, old }) => [
      old?.webhook.id,
      { ...args, secret: old?.webhook.secret },
    ]);
    const settings = {
      ...(listing === undefined ? {} : { listing: String(listing) }),
      retrySeconds: String(retrySeconds),
    };
    const { monitor: engine } = world.engine;
    const transport = new Transport(
      { ...someSettings({ retrySeconds }), apiKey },
      engine.stopping,
      async () => world.sendOnce,
      () => 0.5,
    );
    const environment = { DBWEBHOOKS_IMPORT: JSON.stringify(Object.fromEntries(described)) };
    this.#provider = startProvider({ baseUrl, ...settings }, { engine, environment, transport });
  }

  async check({ number, args }: Resource, changes: object = {}): Promise<void> {
    const { problems } = await this.#provider.check({ ...args, ...changes });
    if (problems.length > 0) {
      this.world.history.violations.push(`resource ${number} is invalid`);
    }
  }

  /** Rejects if the provider refuses to compare. */
  async compare(resource: Resource, changes: object = {}): Promise<void> {
    const { args, old, number } = resource;
    if (!old) {
      return;
    }
    const { history } = this.world;
    const { id } = old.webhook;
    const isDuplicated = history.creationsWithNewId(id).some(({ stored }) => stored);
    this.#meet(resource);
    await this.#provider.diff(id, old.state, { ...args, ...changes }, this.#optionsOf(resource));
    if (isDuplicated) {
      history.violations.push(`resource ${number} and a new one have ${id}`);
    }
  }

  /** Returns whether Pulumi can store the webhook. */
  async create(resource: Resource): Promise<boolean> {
    const { play, engine } = this.world;
    let isCreated = await this.#createOnce(resource);
    for (let left = play.repeatsCreations ? 2 : 0; left > 0; left--) {
      if (isCreated || engine.isGone) {
        break;
      }
      isCreated = await this.#createOnce(resource);
    }
    return isCreated;
  }

  async #createOnce(resource: Resource): Promise<boolean> {
    const { history } = this.world;
    const creation: Creation = { resource, beganAt: history.now() };
    history.creations.push(creation);
    try {
      const { id, outs } = await this.#provider.create(
        { ...resource.args },
        this.#optionsOf(resource),
      );
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
    if (!old) {
      return false;
    }
    this.#meet(resource);
    const options = this.#optionsOf(resource);
    const found = await this.#provider.read(old.webhook.id, old.state, options);
    const { service, history } = this.world;
    const isFound = found.id !== "";
    if (!isFound && service.webhooks.get(old.webhook.id) === old.webhook) {
      history.violations.push("a refresh removes a webhook that lives on");
    }
    return isFound;
  }

  /** Returns whether the import succeeded. */
  async import(resource: Resource): Promise<boolean> {
    const id = resource.old?.webhook.id ?? "";
    const importing = this.#provider.import(id, this.#optionsOf(resource));
    const isImported = await importing.then(
      () => true,
      () => false,
    );
    if (isImported && resource.old) {
      this.#meet(resource);
      this.world.history.imports.push(resource.old.webhook);
    }
    return isImported;
  }

  /** Deletes the webhook in the state. Returns whether the deletion succeeded. */
  async delete(resource: Resource, { isDuplicate = false } = {}): Promise<boolean> {
    const { old } = resource;
    if (!old) {
      return true;
    }
    const { webhook } = old;
    const { history } = this.world;
    const deletion: Deletion = { resource, webhook, isDuplicate, beganAt: history.now() };
    history.deletions.push(deletion);
    this.#meet(resource);
    await this.#provider
      .delete(webhook.id, old.state, this.#optionsOf(resource, isDuplicate ? "duplicate" : ""))
      .catch((error: unknown) => {
        deletion.error = describe(error);
      });
    deletion.endedAt = history.now();
    return !deletion.error;
  }

  #meet({ old }: Resource): void {
    if (old) {
      this.world.history.meet(old.webhook.id);
    }
  }

  #optionsOf({ number }: Resource, suffix = "") {
    const { lines } = this.world.history;
    const notify: Notify = (line, severity) => void lines.push(`${severity}: ${line}`);
    return { urn: this.world.play.hasUrns ? `urn:${number}${suffix}` : undefined, notify };
  }
}

function describe(error: unknown) {
  const { message } = error as Error;
  return { kind: kindOf({ message }), message };
}
