import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { secret } from "../helpers/builders.js";
import { runCli } from "../helpers/cli.js";
import { withDirectory } from "../helpers/directory.js";

const baseUrl = "https://tables.example.com";
const options = {
  name: "orders",
  id: "17",
  database: "base_abc123",
  url: "https://example.com/hooks/token",
  event: "record.created",
};

/** Runs `import-file` with these options, and with the secret on its standard input. */
function importFile(file: string, changes: object = {}, input = `${secret}\n`) {
  const words = Object.entries({ ...options, ...changes })
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) => [`--${name}`, value]);
  return runCli(["import-file", file, ...words], { DBWEBHOOKS_BASE_URL: baseUrl }, input);
}

describe("import-file", () => {
  it("writes the webhook as the state would hold it", async () => {
    await withDirectory(async (directory) => {
      const file = join(directory, "import.json");

      const { exitCode, stdout } = await importFile(file, { table: "tbl_1" });

      expect(exitCode).toBe(0);
      expect(stdout).toContain(`pulumi import --file ${file} --protect=false`);
      const inputs = {
        databaseId: "base_abc123",
        url: "https://example.com/hooks/token",
        events: ["record.created"],
        tableId: "tbl_1",
        __provider: 'exports.handler = () => require("pulumi-dbwebhooks/provider")',
      };
      expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
        resources: [
          {
            type: "pulumi-nodejs:dynamic/dbwebhooks:Webhook",
            name: "orders",
            id: "17",
            inputs,
            outputs: {
              ...inputs,
              baseUrl,
              secret: {
                "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
                plaintext: JSON.stringify(secret),
              },
            },
          },
        ],
      });
    });
  });

  it("names everything that is wrong, writes nothing, and repeats no value", async () => {
    await withDirectory(async (directory) => {
      const file = join(directory, "import.json");

      const { exitCode, stderr } = await importFile(file, {
        id: "seventeen",
        url: "example.com/token",
        "base-url": "nowhere",
      });

      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/^--url: must be an absolute URL.*\n--id: must be the number/m);
      expect(stderr).toContain("--base-url (or DBWEBHOOKS_BASE_URL): must be the absolute URL");
      expect(stderr).not.toMatch(/seventeen|token|nowhere/);
      await expect(readFile(file)).rejects.toThrow("ENOENT");
    });
  });

  it.each([
    ["no file", [], "takes the FILE to write"],
    ["no name", ["x.json"], "needs --name, --id, --database, --url and --event"],
    ["an unknown option", ["x.json", "--secret=whsec_1"], "There is no option --secret;"],
  ])("refuses %s", async (_case, words, text) => {
    const { exitCode, stderr } = await runCli(["import-file", ...words]);

    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
    expect(stderr).not.toContain("whsec_");
  });

  it.each(["", "\n", "whsec_1\nwhsec_2\n"])("refuses the input %j", async (input) => {
    await withDirectory(async (directory) => {
      const { exitCode, stderr } = await importFile(join(directory, "import.json"), {}, input);

      expect([exitCode, stderr]).toEqual([2, expect.stringContaining("must be one line")]);
    });
  });

  it("adds to a file that others wrote, keeps what it holds, and closes it to others", async () => {
    await withDirectory(async (directory) => {
      const file = join(directory, "by hand's.json");
      await writeFile(file, '{"nameTable":{"a":"urn"},"resources":[]}', { mode: 0o644 });

      const { exitCode, stdout } = await importFile(file);

      expect(exitCode).toBe(0);
      expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
        nameTable: { a: "urn" },
        resources: [{ name: "orders" }],
      });
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(stdout).toContain(`rm '${directory}/by hand'\\''s.json'`);
    });
  });

  it("takes one webhook once", async () => {
    await withDirectory(async (directory) => {
      const file = join(directory, "import.json");
      await importFile(file);
      const again = await importFile(file, { name: "other" });
      const elsewhere = await importFile(file, { name: "other", database: "base_other" });

      expect([again.exitCode, again.stderr]).toEqual([
        1,
        expect.stringContaining("holds webhook 17 already"),
      ]);
      expect(elsewhere.exitCode).toBe(0);
    });
  });

  it.each(['{"resources":[null]}', '{"resources":{}}', "[]", "null"])(
    "leaves a file alone that holds %s",
    async (content) => {
      await withDirectory(async (directory) => {
        const file = join(directory, "import.json");
        await writeFile(file, content);

        const { exitCode, stderr } = await importFile(file);

        expect([exitCode, stderr]).toEqual([1, expect.stringContaining("exists and is no file")]);
        expect(await readFile(file, "utf8")).toBe(content);
      });
    },
  );

  it("leaves a file alone that holds something else, or the same name", async () => {
    await withDirectory(async (directory) => {
      const file = join(directory, "import.json");
      await writeFile(file, "precious");
      const other = await importFile(file);
      await writeFile(file, '{"resources":[{"name":"orders"}]}');
      const twice = await importFile(file);

      expect([other.exitCode, other.stderr]).toEqual([1, expect.stringContaining("exists and is")]);
      expect([twice.exitCode, twice.stderr]).toEqual([1, expect.stringContaining("named orders")]);
      expect(await readFile(file, "utf8")).toBe('{"resources":[{"name":"orders"}]}');
    });
  });
});
