import { defineConfig } from 'vitest/config';

const tier = (name: string, include: string[], more: Record<string, unknown> = {}) => ({
  test: { name, include, environment: 'node' as const, restoreMocks: true, ...more },
});

/** Tiers, cheapest first. What needs a server finds it through test/support and counts as skipped where there is none. */
export default defineConfig({
  test: {
    projects: [
      tier('unit', [
        '{domain,commands,projections,adapters,cli,scripts}/**/*.spec.ts',
        'test/support/**/*.spec.ts',
        'test/house/**/*.spec.ts',
      ]),
      tier('contracts', ['test/contracts/**/*.spec.ts'], { testTimeout: 60_000, hookTimeout: 120_000 }),
      tier('integration', ['test/integration/**/*.spec.ts', 'test/bugs/**/*.spec.ts'], { testTimeout: 60_000, hookTimeout: 120_000 }),
      tier('chaos', ['test/chaos/**/*.spec.ts'], { testTimeout: 180_000, hookTimeout: 180_000 }),
    ],
  },
});
