/** Who has changed what (contract, Changelog; docs/interface/changelog.md 4 to 6). */
import { passes, type ChangelogEntry, type ChangelogFilters, type ChangelogKind } from '../../../events/index.js';
import type { GraphEntity, GraphRelationship } from '../../../graph/index.js';
import { allowed, hasOwnLog, readable, type Schema } from '../../../schema/index.js';
import { ScriptError } from '../../language/errors.js';
import { textOf } from '../../language/text.js';
import { isMap, ScriptEntity, type ScriptMap, type ScriptValue } from '../../language/values.js';
import { dateOf, misused } from '../../run/function/arguments.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { shown } from '../../run/function/pairs.js';
import { takesMemory } from '../../run/limits/memory.js';
import { waitingSignal } from '../../run/limits/signals.js';
import { isOf } from '../../run/names/lookup.js';
import { note } from '../../run/notes.js';
import type { ScriptContext } from '../../run/run.js';

/** Entries that a script gets at once. */
const MOST = 100_000;

/** Filters of the interface that compare texts, and what they look at in an entry. */
const TEXTS = {
  verb: 'verb',
  userId: 'userId',
  userName: 'userName',
  relType: 'rel',
  relDir: 'relDir',
  target: 'target',
  key: 'key',
} as const;
const NODE = 'n';
const RELATIONSHIP = 'r';
/** What somebody who reads may not know of. */
const HIDDEN = Symbol('hidden');
const TIMES: ReadonlySet<string> = new Set(['timeFrom', 'timeTo']);
/** Keys of entries, in the order in which scripts see them. */
const KEYS = 'verb time userId userName type rel relId relDir source target key prev val'.split(
  ' ',
) as readonly (keyof ChangelogEntry)[];

const SIGNATURE = '[, resolve = false [, filter, value, ...]]';
const FILTERS =
  'Filters, which all have to hold, are keys and values behind `resolve`, or a map of them: `timeFrom`, `timeTo` (milliseconds, a date, or ' +
  "`yyyy-MM-dd'T'HH:mm:ssZ`), `verb`, `userId`, `userName`, `relType`, `relDir`, `target`, `key`; of several values of one (a list, or the key again) any.";

export const changelog: ScriptFunction = {
  name: 'changelog',
  signature: `changelog(object${SIGNATURE})`,
  meaning:
    'What has changed of an object, or the one with this id, oldest first: maps with `verb` (`create`, `delete`, `link`, `unlink`, `change`), `time`, `userId`, ' +
    '`userName` and what the verb is about; with `resolve`, `targetObj` too. Empty while `application.changelog.enabled` is off. ' +
    FILTERS,
  example: "changelog(me, false, 'verb', 'change', 'key', 'name')",
  min: 1,
  run: async (args, context) => {
    const [of, resolve] = args;
    if (of === null) return null;
    if (of instanceof ScriptEntity) return read(logOf(of.entity, context), resolve, args, context);
    const id = idIn(of, context);
    if (id === undefined) return misused(changelog, 'needs an object or its id', context);
    const entity = await found(id, context);
    if (entity === HIDDEN) return [];
    const { changelog: logs } = context.run.parts;
    const log: Log =
      entity === undefined ? { kind: (await logs.has('n', id)) ? NODE : RELATIONSHIP, id } : logOf(entity, context);
    return read(log, resolve, args, context);
  },
};

export const userChangelog: ScriptFunction = {
  name: 'userChangelog',
  signature: `userChangelog(user${SIGNATURE})`,
  meaning:
    'What a user, or the one with this id, has changed, oldest first: entries as those of `changelog`, without the user and with `target` in each. For ' +
    'administrators, and of oneself. Empty while `application.changelog.user_centric.enabled` is off. Filters as there.',
  example: "userChangelog(me, false, 'verb', 'delete')",
  min: 1,
  run: (args, context) => {
    const [user, resolve] = args;
    if (user === null) return null;
    const id = isOf(user, 'Principal', context) ? user.id : idIn(user, context);
    if (id === undefined) return misused(userChangelog, 'needs a user or his id', context);
    if (id !== context.actor.id && context.access.rule('read') !== undefined) {
      throw new ScriptError(403, 'What others have changed is for administrators.');
    }
    return read({ kind: 'u', id }, resolve, args, context);
  },
};

function idIn(value: ScriptValue | undefined, { run }: ScriptContext): string | undefined {
  return typeof value === 'string' && run.parts.write().idPattern.test(value) ? value : undefined;
}

/** A log, or what another one has to say. */
interface Log {
  readonly kind: ChangelogKind;
  readonly id: string;
  /** Of a relationship without a log of its own: that of the node it leads to tells of it. */
  readonly of?: GraphRelationship;
}

function logOf(entity: GraphEntity, { run }: ScriptContext): Log {
  if (entity.kind === 'node') return { kind: NODE, id: entity.id };
  const isOwn = hasOwnLog(run.schema.typeOf(entity));
  return isOwn ? { kind: RELATIONSHIP, id: entity.id } : { kind: NODE, id: entity.targetId, of: entity };
}

/** As a log of its own would tell it. */
function ofItself(entry: ChangelogEntry, { sourceId, targetId }: GraphRelationship): ChangelogEntry {
  const { verb, time, userId = '', userName = '', rel = '', relId = '' } = entry;
  const itself = verb === 'link' ? 'create' : 'delete';
  return { verb: itself, time, userId, userName, rel, relId, source: sourceId, target: targetId };
}

/** Undefined: it is gone. Of that nobody can say who might have read it, so that it is for those who read everything. */
async function found(id: string, { run, access }: ScriptContext): Promise<GraphEntity | typeof HIDDEN | undefined> {
  return run.transaction.read(async (tx) => {
    const entity = (await tx.node(id)) ?? (await tx.relationship(id));
    if (access.rule('read') === undefined) return entity;
    return entity !== undefined && (await allowed(tx, access, 'read', entity)) ? entity : HIDDEN;
  });
}

async function read(
  { kind, id, of }: Log,
  resolve: ScriptValue | undefined,
  args: readonly ScriptValue[],
  context: ScriptContext,
): Promise<ScriptMap[]> {
  const { run } = context;
  const filters = filtersIn(args.slice(2), context);
  const asked = of === undefined ? filters : { relId: [of.id] };
  const result: ScriptMap[] = [];
  const { signal, stop } = waitingSignal(run);
  try {
    for await (const told of run.parts.changelog.entries(kind, id, asked, signal)) {
      const entries =
        of === undefined ? told : told.map((one) => ofItself(one, of)).filter((one) => passes(one, filters));
      const seen = await objectsOf(entries, resolve === true, context);
      for (const entry of entries) {
        const object = seen?.(entry);
        if (object === HIDDEN) continue;
        const map = mapOf(entry);
        if (resolve === true && entry.target !== undefined) {
          map.set('targetObj', object === undefined ? null : run.entities.of(object));
        }
        result.push(map);
      }
      if (result.length > MOST) {
        throw new ScriptError(422, `More than ${String(MOST)} entries: read them in parts, by timeFrom and timeTo.`);
      }
    }
  } finally {
    stop();
  }
  return result;
}

function mapOf(entry: ChangelogEntry): ScriptMap {
  const map: ScriptMap = new Map();
  let size = 0;
  for (const key of KEYS) {
    const value = entry[key];
    if (value === undefined) continue;
    map.set(key, typeof value === 'number' ? BigInt(value) : value);
    size += 32 + (typeof value === 'string' ? value.length : 0);
  }
  takesMemory(size);
  return map;
}

type Seen = (entry: ChangelogEntry) => GraphEntity | typeof HIDDEN | undefined;

/**
 * Objects that entries are about, as the context may see them. Entries about what may not be read are hidden; of objects that are gone only what they held.
 * Undefined: nobody asks.
 */
async function objectsOf(
  entries: readonly ChangelogEntry[],
  resolve: boolean,
  { run, access }: ScriptContext,
): Promise<Seen | undefined> {
  const isFree = access.rule('read') === undefined;
  if (isFree && !resolve) return undefined;
  const ids = [...new Set(entries.flatMap(({ target, source }) => [target ?? [], source ?? []].flat()))];
  const found = await run.transaction.read(async (tx) => {
    const there = new Map<string, GraphEntity | typeof HIDDEN>();
    const nodes = (await tx.nodes(ids)).filter((node) => node !== undefined);
    for (const node of nodes) there.set(node.id, HIDDEN);
    for (const node of await readable(tx, access, nodes)) there.set(node.id, node);
    // In the log of a user there are changes of relationships, too.
    for (const { verb, target } of entries) {
      if (verb !== 'change' || target === undefined || there.has(target)) continue;
      const relationship = await tx.relationship(target);
      if (relationship === undefined) continue;
      there.set(target, (await allowed(tx, access, 'read', relationship)) ? relationship : HIDDEN);
    }
    return there;
  });
  return ({ verb, target = '', source = '' }) => {
    const object = found.get(target);
    if (isFree) return object;
    if (found.get(source) === HIDDEN) return HIDDEN;
    return object === undefined && verb === 'change' && target !== '' ? HIDDEN : object;
  };
}

/** Throws `ScriptError` 422 for times that are none. */
function filtersIn(args: readonly ScriptValue[], context: ScriptContext): ChangelogFilters {
  const filters: Record<string, number | string[]> = {};
  for (const [key, given] of pairsIn(args, context)) {
    const values = (Array.isArray(given) ? given : [given]).filter((value) => value !== null);
    if (TIMES.has(key)) {
      for (const value of values) filters[key] = timeIn(key, value);
    } else if (isText(key)) {
      const texts = values.map((value) => textOf(value, context));
      const wanted = key === 'relType' ? texts.flatMap((text) => relationsNamed(text, context.run.schema)) : texts;
      // An empty list asks for nothing that there is.
      if (given !== null) filters[TEXTS[key]] = [...((filters[TEXTS[key]] as string[] | undefined) ?? []), ...wanted];
    } else note(context, `the changelog has no filter ${shown(key)}`);
  }
  return filters;
}

function isText(key: string): key is keyof typeof TEXTS {
  return Object.hasOwn(TEXTS, key);
}

function* pairsIn(args: readonly ScriptValue[], context: ScriptContext): IterableIterator<[string, ScriptValue]> {
  for (let i = 0; i < args.length; i++) {
    const key = args[i] ?? null;
    if (isMap(key)) yield* key;
    else if (i + 1 >= args.length) {
      if (key !== null) note(context, `the filter ${shown(key)} of the changelog has no value`);
    } else yield [textOf(key, context), args[++i] ?? null];
  }
}

function timeIn(key: string, value: ScriptValue): number {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  const date = dateOf(number);
  if (date === undefined) throw new ScriptError(422, `${key} is no time: ${shown(value)}`);
  return date.getTime();
}

/** Entries name the type of the schema; users may name that in the database, too. */
function relationsNamed(name: string, schema: Schema): string[] {
  const names = [...schema.relations.values()].filter(({ relType }) => relType === name).map((one) => one.name);
  return [name, ...names];
}

export const changelogFunctions: FunctionCategory = {
  title: 'The changelog',
  functions: [changelog, userChangelog],
};
