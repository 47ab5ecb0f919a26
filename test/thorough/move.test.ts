import { it } from "vitest";
import { dynamicProvider, expectMove, plugin } from "../helpers/moves.ts";

it("A changed import line moves webhooks from the plugin to the dynamic provider", () =>
  expectMove(plugin, dynamicProvider));
