import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { Failures } from './test/support/failures.js';
import { LostWorkers } from './test/support/lost-workers.js';

/** Files that take half a minute and more: begun last, they would be waited for alone. */
const LONGEST = [
  'test/http/limits.test.ts',
  'test/graph/sqlite.test.ts',
  'test/graph/neo4j.test.ts',
  'test/graph/optimistic.test.ts',
  'test/system/graph-copy.test.ts',
  'test/files/storage-s3.test.ts',
  'test/bench/bench.test.ts',
  'test/system/user-passwd.test.ts',
  'test/files/storage-mounts.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.some((name) => moduleId.endsWith(name));
    return [...sorted.filter(isLong), ...sorted.filter((one) => !isLong(one))];
  }
}

/** `npm test`: everything but the long tests, and those that are of Neo4j alone. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests of several instances need the database for themselves: vitest.neo4j.config.ts.
    exclude: ['test/long/**', 'test/cluster/**', 'test/graph/neo4j.test.ts', 'node_modules/**', 'dist/**'],
    setupFiles: ['test/support/last-refusal.ts'],
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
