import { expect, it } from "vitest";
import { startFaultyService } from "../../helpers/local-service.ts";
import { codeBlocks, readPage, sectionOf } from "../../helpers/markdown.ts";
import * as interceptors from "../../helpers/page-interceptors.ts";

it("The page shows the interceptors that these tests run, and that tsc checks", () => {
  const section = sectionOf(readPage("docs/local-service.md"), "Interceptors");
  const checked = readPage("test/helpers/page-interceptors.ts").replaceAll(/^ {2}/gm, "");

  const blocks = codeBlocks(section).map(({ text }) => text);

  expect(blocks).toHaveLength(Object.keys(interceptors).length);
  expect(blocks.filter((text) => !checked.includes(text))).toEqual([]);
});

it("The recorder of the page records each request", async () => {
  const service = await startFaultyService();
  const requests = interceptors.record(service);

  await service.create({ databaseId: "a" });
  await service.delete(1, { databaseId: "a" });

  const path = "/api/v1/bases/a/webhooks";
  expect(requests).toEqual([`POST ${path}`, `DELETE ${path}/1`]);
});

it("The lost secret of the page leaves a webhook, and its response without the secret", async () => {
  const service = await startFaultyService();
  interceptors.loseSecret(service);

  const { statusCode, json } = await service.create();
  const deletion = await service.delete(json.id);

  expect({ statusCode, json }).toEqual({ statusCode: 200, json: { id: expect.any(Number) } });
  expect(deletion.json).toMatchObject({ success: true });
});
