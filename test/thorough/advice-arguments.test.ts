import { expect, it } from "vitest";
import { succeed } from "../helpers/commands.ts";
import { reference, yamlProgram } from "../helpers/programs.ts";
import { methodsAndKeysOf, noPromptFlags, withStack } from "../helpers/stack.ts";

// Pulumi reads each as a number, and would write all but the first one in another way.
const values: Readonly<Record<string, string>> = {
  databaseId: "1234567890123456",
  tableId: "9007199254740993",
  otherTableId: "6704500050001e12",
  account: "12345678901234567890",
};

it("In YAML, the command of the messages keeps identifiers and keys of digits as they are", async () => {
  await withStack(
    async (stack) => {
      const { service, directory, environment } = stack;
      const webhook = (table: string) => ({
        args: { databaseId: reference("databaseId"), tableId: reference(table) },
        provider: "eu",
      });
      const eu = { baseUrl: service.baseUrl, apiKey: reference("account") };
      await stack.declare({ orders: webhook("tableId"), tasks: webhook("otherTableId") }, { eu });
      await stack.configure(
        Object.fromEntries(
          Object.entries(values).map(([name, value]) => [`webhooks:${name}`, value]),
        ),
      );
      // Pulumi checks the Provider before its webhooks.
      for (const names of [["account"], ["databaseId", "tableId", "otherTableId"]]) {
        const { output, requests } = await stack.pulumi(["up", ...noPromptFlags]);
        const [command = ""] = /pulumi config set .*NAME '"7"'/.exec(output) ?? [];
        for (const name of names) {
          const withValue = command.replace("NAME", name).replace("7", values[name] ?? "");
          await succeed("bash", ["-c", `${withValue} --stack test`], { directory, environment });
        }
        expect(requests).toEqual([]);
      }
      const { requests } = await stack.up();

      const { databaseId, tableId, otherTableId, account } = values;
      expect(methodsAndKeysOf(requests)).toEqual(Array(2).fill(`POST Bearer ${account}`));
      expect(service.webhooks.map((one) => [one.databaseId, one.tableId]).toSorted()).toEqual([
        [databaseId, otherTableId],
        [databaseId, tableId],
      ]);
    },
    { program: yamlProgram, service: { apiKeys: [values.account ?? ""] } },
  );
});
