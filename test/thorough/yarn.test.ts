import { existsSync } from "node:fs";
import { join } from "node:path";
import { startLocalService } from "pulumi-dbwebhooks/local-service";
import { describe, expect, it } from "vitest";
import { withDirectory } from "../helpers/directory.js";
import {
  expectUpAndDestroy,
  packInto,
  succeed,
  writeFiles,
  yarnEnvironment,
} from "../helpers/package.js";
import { stackEnvironment } from "../helpers/pulumi.js";

const yarn = join(__dirname, "../../node_modules/.bin/yarn");
const versions = (require("../../package.json") as { devDependencies: Record<string, string> })
  .devDependencies;

const program = `const { Webhook } = require("pulumi-dbwebhooks");
exports.ordersSecret = new Webhook("orders", {
  databaseId: "base_abc123",
  url: "https://example.com/hooks/orders",
  events: ["record.created"],
}).secret;
`;

describe("The packed package", () => {
  it.each<{ linker: string; pulumi: readonly [string, ...string[]] }>([
    { linker: "node-modules", pulumi: ["pulumi"] },
    { linker: "pnp", pulumi: [yarn, "exec", "pulumi"] },
  ])("works where Yarn installed it with the linker $linker", async ({ linker, pulumi }) => {
    await using service = await startLocalService();
    await withDirectory(async (directory) => {
      const environment = {
        ...(await stackEnvironment(directory)),
        DBWEBHOOKS_BASE_URL: service.baseUrl,
        DBWEBHOOKS_API_KEY: service.apiKey,
      };
      const tarball = await packInto(directory);
      const at = join(directory, `yarn-${linker}`);
      await writeFiles(at, {
        "package.json": {
          private: true,
          main: "index.js",
          dependencies: {
            "@pulumi/pulumi": versions["@pulumi/pulumi"],
            "@types/node": versions["@types/node"],
            "pulumi-dbwebhooks": `file:${tarball}`,
          },
        },
        "index.js": program,
        ".yarnrc.yml": `nodeLinker: ${linker}\n`,
      });
      await succeed(yarn, ["install"], { directory: at, environment: await yarnEnvironment() });

      // Pulumi starts the plugin as a file, so it may not stay in an archive.
      const { stdout } = await succeed(yarn, ["run", "pulumi-dbwebhooks", "plugin-path"], {
        directory: at,
      });
      expect(existsSync(join(stdout.trim(), "pulumi-resource-dbwebhooks"))).toBe(true);
      await expectUpAndDestroy({ program: at, service, environment, pulumi });
    });
    expect(service.webhooks).toEqual([]);
  });
});
