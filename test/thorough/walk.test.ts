import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { expect, it } from "vitest";
import { javascriptPluginProgram, javascriptProgram } from "../helpers/programs.ts";
import { withStack } from "../helpers/stack.ts";
import { walk } from "../helpers/walk/walk.ts";

// For example: WALK_SEED=7 WALK_STEPS=100 npx vitest run --project thorough test/thorough/walk.test.ts
const { WALK_SEED, WALK_STEPS = "30" } = process.env;
const seed = Number(WALK_SEED ?? 1);
const steps = Number(WALK_STEPS);

it.each([
  { program: javascriptProgram, entry: "pulumi-dbwebhooks" },
  { program: javascriptPluginProgram, entry: "pulumi-dbwebhooks/native" },
])(
  "Services, state and output agree after random commands through $program.name",
  async ({ program, entry }) => {
    await using second = await startLocalService({ apiKeys: ["key-of-the-second-service"] });
    const lines: string[] = [];
    const print = (line: string) => {
      lines.push(line);
      // A run with a seed is one that somebody watches.
      if (WALK_SEED !== undefined) process.stdout.write(`${line}\n`);
    };
    await withStack(
      async (stack) => {
        await stack.configure({
          "dbwebhooks:timeoutSeconds": "3",
          "dbwebhooks:retrySeconds": "3",
        });

        const problems = await walk(stack, { entry, second, steps, seed, print });

        expect(problems, lines.join("\n")).toEqual([]);
        for (const service of [stack.service, second]) {
          for (const { id } of service.webhooks) service.removeWebhook(id);
        }
      },
      { program },
    );
  },
);
