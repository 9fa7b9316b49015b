/** The changelog for who asks over REST: what the functions of scripts answer, with the same rights (docs/interface/changelog.md 4 to 7). */
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { changelog, userChangelog } from '../functions/service/changelog.js';
import { toJsonValue } from '../language/conversion.js';
import { isMap, ScriptEntity, type ScriptMap } from '../language/values.js';
import type { Caller } from '../run/caller.js';
import type { Runs } from './runs.js';

export interface AskedLog {
  /** Of an object, or what a user has changed. */
  readonly of: 'object' | 'user';
  readonly id: string;
  /** Names and values, as scripts give them (5). */
  readonly filters: readonly (readonly [name: string, value: string])[];
  readonly newestFirst: boolean;
  /** Entries of the page, from 0. */
  readonly offset: number;
  readonly limit: number;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
}

export interface LogPage {
  readonly entries: JsonObject[];
  /** How many there are in all. */
  readonly count: number;
}

/**
 * A page of the entries of a log that the caller may read; `targetObj` is `id`, `type` and `name` of the object. Throws `ScriptError` 403 for
 * the log of another user, 422 for filters that make no sense and for more than 100,000 entries.
 */
export function readChangelog(
  scripting: Pick<Runs, 'inTransaction'>,
  { of, id, filters, newestFirst, offset, limit, signal }: AskedLog,
  caller: Caller,
): Promise<LogPage> {
  const asked = of === 'user' ? userChangelog : changelog;
  return scripting.inTransaction(
    'changelog',
    caller,
    async (context) => {
      const entries = await asked.run([id, true, ...filters.flat()], context);
      const all = Array.isArray(entries) ? entries.filter(isMap) : [];
      if (newestFirst) all.reverse();
      return { entries: all.slice(offset, offset + limit).map(entryOf), count: all.length };
    },
    signal === undefined ? {} : { signal },
  );
}

function entryOf(map: ScriptMap): JsonObject {
  const entry: Record<string, JsonValue> = {};
  for (const [key, value] of map)
    entry[key] = value instanceof ScriptEntity ? { ...factsOf(value) } : toJsonValue(value);
  return entry;
}

function factsOf({ id, type, entity }: ScriptEntity): JsonObject {
  const name = entity.properties['name'];
  return { id, type, name: typeof name === 'string' ? name : null };
}
