/** Who hears of commits by himself. What is kept of the graph goes through the list of caches, which a walk looks at. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '../../src/main');

/** Work that follows a commit: it keeps nothing that a request is answered from. */
const WORK: readonly string[] = [
  'events/changelog/changelog.ts', // takes what was written down with the commit to the files
  'files/content/content.ts', // removes content that nobody names any more
  'files/mounts/mounts.ts', // mounts, in the background, what is configured
  'files/mounts/to-disk.ts', // does on the disk what was done in the tree
  'files/upkeep/belonging.ts', // notes on disk which commit the content is of
  'files/upkeep/moves.ts', // takes content, in the background, where it belongs
  'media/processing/processing.ts', // works, in the background, on content that is new
  'opening/open-monitoring.ts', // counts commits
];

it('only work that follows a commit listens past the list of caches', () => {
  const listening = readdirSync(MAIN, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('graph/'))
    .filter((path) => /\b(?:onCommit|graph\.watch)\(/.test(readFileSync(join(MAIN, path), 'utf8')));
  expect(listening.sort()).toEqual(WORK);
});
