/** What scripts make is kept in the memory of the service, in lists and stores: it must not be all of it. */
import { getHeapStatistics } from 'node:v8';
import { ScriptError } from '../../language/errors.js';

/** Characters after which somebody looks how much memory is left; looking is not free. */
const STEP = 16 * 1024 * 1024;
/** What an element of a list takes, as if it was text. */
export const ELEMENT = 8;
/** Part of the memory that may be in use when scripts want more. */
const MOST = 0.8;

const MB = 1024 * 1024;
/** The most that the young generation takes (V8 of Node 24: three spaces of 64 MB). */
const YOUNG = 192 * MB;
/** Bytes for objects that stay. */
const LIMIT = oldSpace();

/** Of all scripts since the last look: they share the memory. */
let made = 0;

/**
 * To be told of texts that scripts make, and of what comes from their isolates: characters, and `ELEMENT` for each element of a list. Throws
 * `ScriptError` 503 when there is little memory left: for the one who wants more, before everybody fails for it.
 */
export function takesMemory(characters: number): void {
  made += characters;
  if (made < STEP) return;
  made = 0;
  const { used_heap_size: used, external_memory: outside } = getHeapStatistics();
  if (used + outside > MOST * LIMIT) {
    throw new ScriptError(503, 'The script was ended: it needs more memory than the server has left.');
  }
}

/** The limit that V8 tells counts the young generation as well, where nothing stays: with a small heap that is much of it. */
function oldSpace(): number {
  const options = [process.env['NODE_OPTIONS'] ?? '', ...process.execArgv].join(' ');
  const given = [...options.matchAll(/--max[-_]old[-_]space[-_]size=(\d+)/g)].at(-1)?.[1];
  if (given !== undefined) return Number(given) * MB;
  const { heap_size_limit: limit } = getHeapStatistics();
  return Math.max(limit - YOUNG, limit / 2);
}
