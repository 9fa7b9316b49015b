import { defineConfig } from 'vitest/config';

/** `npm run test:long`: crash tests, large data, thousands of random runs. One file at a time, so that they measure themselves. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    pool: 'forks',
    // As the launcher starts the server (isolated-vm).
    execArgv: ['--no-node-snapshot'],
    maxWorkers: 1,
    fileParallelism: false,
    passWithNoTests: true,
    testTimeout: 30 * 60_000,
    hookTimeout: 5 * 60_000,
    teardownTimeout: 30_000,
    watch: false,
  },
});
