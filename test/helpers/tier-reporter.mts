import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Prints how long each tier took, and how many heavy commands of the Pulumi CLI it ran.
 * `commands.ts` counts them.
 */
export class TierReporter implements Reporter {
  readonly #times = new Map<string, { readonly start: number; end: number }>();
  #directory = "";

  onInit(): void {
    this.#directory = mkdtempSync(join(tmpdir(), "dbwebhooks-test-"));
    // Worker processes inherit it.
    process.env.HEAVY_COMMANDS_FILE = join(this.#directory, "commands");
    writeFileSync(process.env.HEAVY_COMMANDS_FILE, "");
  }

  onTestModuleQueued({ project }: TestModule): void {
    const now = Date.now();
    if (!this.#times.has(project.name)) {
      this.#times.set(project.name, { start: now, end: now });
    }
  }

  onTestModuleEnd({ project }: TestModule): void {
    const times = this.#times.get(project.name);
    if (times) {
      times.end = Date.now();
    }
  }

  onTestRunEnd(): void {
    const { HEAVY_COMMANDS_FILE = "", TIERS_FILE } = process.env;
    const commands = readFileSync(HEAVY_COMMANDS_FILE, "utf8").split("\n");
    const tiers = [...this.#times].map(([name, { start, end }]) => {
      const count = commands.filter((tier) => tier === name).length;
      const seconds = `${name} ${Math.round((end - start) / 1000)} s`;
      return count === 0 ? seconds : `${seconds} (${count} heavy CLI commands)`;
    });
    const line = `${tiers.join(" · ")}\n`;
    process.stdout.write(line);
    if (TIERS_FILE) {
      appendFileSync(TIERS_FILE, line);
    }
    rmSync(this.#directory, { recursive: true });
  }
}
