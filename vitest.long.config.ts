import { defineConfig } from 'vitest/config';
import { Failures } from './test/support/failures.js';
import { LONG_FILES } from './test/support/long-files.js';

/** Files that look at the memory of a server, or at gigabytes that pass through it. */
const MEASURING = ['memory', 'script-memory', 's3', 'uploads', 'zip'].map((name) => `test/long/${name}.test.ts`);
/** Files of `npm test` that are run once more with all of their random runs (test/support/random.ts). */
const RANDOM = [
  'test/shared/{json-parse,text-search}.test.ts',
  'test/config/conf-file.test.ts',
  'test/scripting/analysis/analysis-fuzz.test.ts',
  'test/scripting/expression-fuzz.test.ts',
  'test/scripting/javascript/reset.test.ts',
  'test/files/zip-writer.test.ts',
  'test/deployment/random-pages.test.ts',
  'test/graph/sqlite-hubs.test.ts',
  'test/deployment/schema/random.test.ts',
];

/** `npm run test:long`: crash tests, large data, thousands of random runs, and files of rooms that take long. Those that measure have the machine for themselves. */
export default defineConfig({
  test: {
    pool: 'forks',
    // As the launcher starts the server (isolated-vm).
    execArgv: ['--no-node-snapshot'],
    reporters: ['default', new Failures()],
    passWithNoTests: true,
    testTimeout: 30 * 60_000,
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 5 * 60_000,
    teardownTimeout: 30_000,
    watch: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'measuring',
          include: MEASURING,
          maxWorkers: 1,
          fileParallelism: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'random',
          include: ['test/long/**/*.test.ts', ...RANDOM],
          env: { SVC_TEST_RUNS: 'all' },
          exclude: MEASURING,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'rooms',
          include: [...LONG_FILES],
          // As `npm test` runs them.
          setupFiles: ['test/support/last-refusal.ts', 'test/support/no-secrets.ts', 'test/support/hanging-servers.ts'],
          isolate: false,
          execArgv: ['--no-node-snapshot', '--max-old-space-size=1536'],
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
