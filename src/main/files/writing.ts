/** Through which door what this room writes comes: uploads are what the settings say, all else says so here. */
import type { Door } from '../graph/index.js';
import type { WriteOptions } from '../schema/index.js';

interface Writing {
  readonly write: () => WriteOptions;
}

/** Settings of writes that come through a door; `reason` as in `Origin`. */
export function through(door: Door, reason: string, { write }: Writing): WriteOptions {
  return { ...write(), door, reason };
}

/** The same for what the service does by itself. */
export function byItself(reason: string, context: Writing): WriteOptions {
  return through('system', reason, context);
}
