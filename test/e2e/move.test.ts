import { dynamicProvider, plugin, testMove } from "../helpers/moves.ts";

// The other moves are in the tier `thorough`.
testMove(
  "A move from the dynamic provider to the plugin by a changed import line",
  dynamicProvider,
  plugin,
);
