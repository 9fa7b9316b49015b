import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { Failures } from './test/support/failures.js';
import { LONG_FILES } from './test/support/long-files.js';
import { LostWorkers } from './test/support/lost-workers.js';

/** Files that take a quarter of a minute and more: begun last, they would be waited for alone. */
const LONGEST = [
  'test/scripting/javascript/reset.test.ts',
  'test/graph/sqlite.test.ts',
  'test/graph/neo4j.test.ts',
  'test/graph/optimistic.test.ts',
  'test/files/zip.test.ts',
  'test/http/limits.test.ts',
  'test/pages/imports/markup.test.ts',
  'test/pages/imports/html-actions.test.ts',
  'test/config/launcher.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

/** `npm test`: everything but the long tests, and those that are of Neo4j alone. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests of several instances need the database for themselves: vitest.neo4j.config.ts.
    exclude: [
      ...LONG_FILES,
      'test/long/**',
      'test/cluster/**',
      'test/graph/neo4j{,-plans,-follower}.test.ts',
      'node_modules/**',
      'dist/**',
    ],
    setupFiles: ['test/support/last-refusal.ts', 'test/support/no-secrets.ts', 'test/support/hanging-servers.ts'],
    // Native packages and process-wide state (heap, signals) want processes, not threads.
    pool: 'forks',
    // Loading everything anew for each file took a third of the time.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new LostWorkers(), new Failures()],
    // As the launcher starts the server (isolated-vm); and what is garbage is not kept for as long as the machine has memory.
    execArgv: ['--no-node-snapshot', '--max-old-space-size=1536'],
    // Of two processors one is idle half of the time when two tests wait for their servers.
    maxWorkers: 3,
    // Patience: machines that test are busy, and what fails for lack of time says nothing.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // A server under test may drain for a while.
    teardownTimeout: 10_000,
    watch: false,
  },
});
