import { defineConfig, mergeConfig } from 'vitest/config';
import common from './vitest.config.js';

/** Part of `npm test` when NEO4J_URL is set: servers that keep their data there. One database, so one file at a time. */
export default mergeConfig(
  defineConfig({ ...common, test: { ...common.test, include: [], exclude: [] } }),
  defineConfig({
    test: { include: ['test/rest/**/*.test.ts', 'test/cluster/**/*.test.ts'], fileParallelism: false, maxWorkers: 1 },
  }),
);
