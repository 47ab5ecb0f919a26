import { defineConfig } from "vitest/config";

const tier = (name: string, testTimeout: number) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout,
    hookTimeout: testTimeout,
  },
});

export default defineConfig({
  test: {
    projects: [
      tier("unit", 20_000),
      tier("process", 120_000),
      tier("e2e", 600_000),
      tier("package", 900_000),
    ],
  },
});
