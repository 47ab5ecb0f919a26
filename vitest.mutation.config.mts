import { defineConfig } from "vitest/config";

/** The unit tier for Stryker, which runs no projects. */
export default defineConfig({
  test: {
    include: ["test/unit/**/*.test.ts"],
    // A mutant often makes a test wait for something that never comes.
    testTimeout: 20_000,
    expect: { poll: { timeout: 10_000 } },
    unstubEnvs: true,
    // Nearly every mutant runs the simulation.
    env: { FORCE_COLOR: "0", SIMULATION_PLAYS: "200" },
  },
});
