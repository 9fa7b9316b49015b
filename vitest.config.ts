import { defineConfig } from 'vitest/config';

/** `npm test`: everything but the long tests. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests of several instances need the database for themselves: vitest.neo4j.config.ts.
    exclude: ['test/long/**', 'test/cluster/**', 'node_modules/**', 'dist/**'],
    // Native packages and process-wide state (heap, signals) want processes, not threads.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A server under test may drain for a while.
    teardownTimeout: 10_000,
    watch: false,
  },
});
