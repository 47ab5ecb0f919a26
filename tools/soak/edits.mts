import fc from "fast-check";

/** The arguments of each webhook, by resource name. */
export type Program = Readonly<Record<string, WebhookArguments>>;

interface WebhookArguments {
  readonly databaseId: string;
  /** Every resource has its own host, so that an error names one webhook. */
  readonly url: string;
  readonly events: readonly string[];
  readonly tableId?: string;
}

const databases = ["base_1", "base_2", "base_3"];

/** Returns a program with this number of webhooks. */
export function firstProgram(count: number): Program {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `hook-${index}`,
      {
        databaseId: databases[index % databases.length] ?? "",
        url: `https://hook-${index}.example.com/0`,
        events: ["record.created"],
      },
    ]),
  );
}

const change = fc.oneof(
  fc.record({ databaseId: fc.constantFrom(...databases) }),
  fc.record({ tableId: fc.constantFrom("tbl_1", "tbl_2") }),
  fc.record({
    events: fc.uniqueArray(fc.constantFrom("record.created", "table.updated", "field.deleted"), {
      minLength: 1,
    }),
  }),
  fc.record({ urlPath: fc.nat().map(String) }),
  fc.constant({ isRemoved: true }),
);

/** Changes, removes or brings back about a tenth of all webhooks. */
export function applyRandomEdits(program: Program, all: Program, seed: number): Program {
  const names = Object.keys(all);
  const edits = fc.sample(fc.tuple(fc.constantFrom(...names), change), {
    seed,
    numRuns: Math.ceil(names.length / 10),
  });
  const next: Record<string, WebhookArguments> = { ...program };
  for (const [name, edit] of edits) {
    const args = next[name] ?? all[name];
    if (args === undefined || "isRemoved" in edit) {
      delete next[name];
    } else if ("urlPath" in edit) {
      next[name] = { ...args, url: `https://${name}.example.com/${edit.urlPath}` };
    } else {
      next[name] = { ...args, ...edit };
    }
  }
  return next;
}
