/**
 * Verifies a whole database (`svc graph check`): its log, its pages, and that what is kept twice says the same twice. Reads only. All of it
 * is read, in the thread that asks: for commands, not for servers.
 */
import { isUtf8 } from 'node:buffer';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Library } from '../connection/library.js';
import { FLAG_KEYS, OWNS, SECURITY } from '../../access.js';
import { GraphError } from '../../errors.js';
import { COUNT_FLAGS, WITH_FLAGS } from '../indexes/counters.js';
import { Connection, graphError } from '../connection/connection.js';
import { FORMAT, lockForReading } from '../files.js';
import { Names } from '../connection/names.js';
import { isPerson, readContent, valueExpression, wrongStamps } from '../connection/stamps.js';
import { raw, sql, type Sql } from '../connection/sql.js';
import { idOf } from '../connection/records.js';
import { checkCommits, checkWhole } from './whole.js';

/** What is wrong with a database: a line each. */
export interface Finding {
  /** As an error of opening it would have. */
  readonly code: 'damaged' | 'log_damaged' | 'log_mismatch';
  readonly message: string;
}

const CACHE_MEGABYTES = 64;
/** Lines about the same thing. */
const MOST_ALIKE = 20;

/**
 * What is wrong with the database in a folder, as it is found; `step` hears what is looked at next. Throws `GraphError`: `not_found`, `locked`
 * (a server has it open), `too_new`, `unfinished`.
 */
export async function* checkSqliteGraph(folder: string, step: (what: string) => void): AsyncGenerator<Finding> {
  const file = join(folder, 'graph.db');
  if (!existsSync(folder)) throw new GraphError('not_found', `There is no database in ${folder}.`, folder);
  const lock = lockForReading(folder);
  try {
    step('the log');
    try {
      const notice = await checkWhole(folder, file);
      if (notice !== undefined) yield { code: 'log_damaged', message: notice };
      await checkCommits(folder, file);
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      yield { code: codeOf(error), message: error.message };
    }
    if (!existsSync(file)) return;
    yield* pages(file, folder, step);
  } finally {
    lock.release();
  }
}

function codeOf({ code }: GraphError): Finding['code'] {
  return code === 'log_damaged' || code === 'log_mismatch' ? code : 'damaged';
}

function* pages(file: string, folder: string, step: (what: string) => void): Generator<Finding> {
  let connection: Connection | undefined;
  try {
    const guard = { check: () => undefined };
    connection = new Connection(file, { readonly: true, cacheMegabytes: CACHE_MEGABYTES, guard });
    const format = Number(connection.db.pragma('user_version', { simple: true }));
    if (format !== FORMAT) {
      const what = `The database in ${folder} has format ${String(format)}, this version checks format ${String(FORMAT)}`;
      throw new GraphError('too_new', `${what}: use the version that wrote it, or start this one on it once.`, folder);
    }
    for (const { what, look } of LOOKS) {
      step(what);
      yield* attempted(what, look(new Looking(connection)));
    }
  } catch (error) {
    const reason = graphError(error);
    if (!(reason instanceof GraphError) || reason.code !== 'damaged') throw reason;
    yield { code: 'damaged', message: reason.message };
  } finally {
    connection?.close();
  }
}

/** What cannot be looked at to its end is a finding itself, and the next thing is looked at. */
function* attempted(what: string, findings: Generator<Finding>): Generator<Finding> {
  try {
    yield* findings;
  } catch (error) {
    if (!(error instanceof Library.SqliteError) || !/^SQLITE_(ERROR|CORRUPT|NOTADB)/.test(error.code)) throw error;
    yield { code: 'damaged', message: `${what}: ${error.message}` };
  }
}

class Looking {
  constructor(readonly connection: Connection) {}

  number({ text, params }: Sql): number {
    return Number(this.connection.get(text, params)?.[0] ?? 0);
  }

  /** A finding for each of the first rows, and one for all others. */
  *each({ text, params }: Sql, describe: (row: readonly unknown[]) => string | undefined): Generator<Finding> {
    let found = 0;
    for (const row of this.connection.statement(text).iterate(...params)) {
      const message = describe(row);
      if (message !== undefined && ++found <= MOST_ALIKE) yield { code: 'damaged', message };
    }
    if (found > MOST_ALIKE) yield { code: 'damaged', message: `and ${String(found - MOST_ALIKE)} more of these` };
  }

  *same(what: string, is: number, should: number): Generator<Finding> {
    if (is !== should) yield { code: 'damaged', message: `${what}: ${String(is)} instead of ${String(should)}` };
  }
}

const LOOKS: readonly { readonly what: string; readonly look: (looking: Looking) => Generator<Finding> }[] = [
  { what: 'the pages', look: ofPages },
  { what: 'nodes and relationships', look: ofEntities },
  { what: 'indexes', look: ofIndexes },
  { what: 'rights', look: ofRights },
  { what: 'counters', look: ofCounters },
];

function* ofPages(looking: Looking): Generator<Finding> {
  yield* looking.each(sql`PRAGMA integrity_check(1000)`, ([line]) =>
    line === 'ok' ? undefined : `pages: ${String(line)}`,
  );
}

function* ofEntities(looking: Looking): Generator<Finding> {
  const names = new Names();
  names.load(looking.connection);
  const wrong = (props: unknown, [made, maker, changed]: readonly unknown[], isNode: boolean): string | undefined => {
    const unread = 'has properties that cannot be read';
    try {
      // As a text it would have another character where a byte is wrong.
      if (props !== null && (!Buffer.isBuffer(props) || !isUtf8(props))) return unread;
      const content = props === null ? {} : readContent(props.toString(), names.textOf);
      return wrongStamps({ made, maker, changed }, content, isNode, (number) => isPerson(names.find(number)));
    } catch {
      return unread;
    }
  };
  yield* looking.each(
    sql`SELECT ${raw(idOf('n'))},t.text,CAST(n.props AS BLOB),n.made,n.maker,n.changed
      FROM node n LEFT JOIN name_table t ON t.id=n.type`,
    ([id, type, props, ...stamps]) => {
      if (type === null) return `node ${String(id)} has no type that is known`;
      const what = wrong(props, stamps, true);
      return what === undefined ? undefined : `node ${String(id)} ${what}`;
    },
  );
  yield* looking.each(
    sql`SELECT ${raw(idOf('r'))},t.text,y.text,CAST(r.props AS BLOB),a.pk,b.pk,r.made,r.maker,r.changed
      FROM rel r LEFT JOIN name_table t ON t.id=r.type
      LEFT JOIN name_table y ON y.id=r.relType LEFT JOIN node a ON a.pk=r.source LEFT JOIN node b ON b.pk=r.target`,
    ([id, type, relType, props, source, target, ...stamps]) => {
      if (type === null || relType === null) return `relationship ${String(id)} has no type that is known`;
      if (source === null || target === null) return `relationship ${String(id)} ends at a node that is not there`;
      const what = wrong(props, stamps, false);
      return what === undefined ? undefined : `relationship ${String(id)} ${what}`;
    },
  );
}

function* ofIndexes(looking: Looking): Generator<Finding> {
  const pairs = looking.connection.all(
    `SELECT s.type,s.key,t.text,k.text FROM index_state s JOIN name_table t ON t.id=s.type JOIN name_table k ON k.id=s.key
      WHERE s.state='ready'`,
    [],
  );
  for (const [type, key, typeText, keyText] of pairs) {
    const [t, k, name] = [Number(type), Number(key), String(keyText)];
    const where = `index of ${String(typeText)}.${name}`;
    const entry = sql`SELECT 1 FROM prop_index p WHERE p.type=${t} AND p.key=${k} AND p.value=${valueExpression('n', name)} AND p.node=n.pk`;
    yield* looking.each(
      sql`SELECT ${raw(idOf('n'))} FROM node n WHERE n.type=${t} AND NOT EXISTS (${entry})`,
      ([id]) => `${where}: node ${String(id)} is not in it with its value`,
    );
    const entries = looking.number(sql`SELECT count(*) FROM prop_index WHERE type=${t} AND key=${k}`);
    yield* looking.same(`${where}: entries`, entries, looking.number(sql`SELECT count(*) FROM node WHERE type=${t}`));
  }
}

function* ofRights(looking: Looking): Generator<Finding> {
  yield* looking.each(
    sql`SELECT e.node FROM access_entry e LEFT JOIN node n ON n.pk=e.node WHERE n.pk IS NULL OR n.type<>e.type`,
    ([row]) => `rights: an entry for row ${String(row)}, which is no node of its type`,
  );
  const links = looking.number(sql`SELECT coalesce(sum(links),0) FROM access_entry WHERE principal>0`);
  const relationships = sql`SELECT count(*) FROM rel r JOIN name_table t ON t.id=r.relType WHERE t.text IN (${OWNS},${SECURITY})`;
  yield* looking.same('rights: owners and grants', links, looking.number(relationships));
}

/** Saved at a clean stop only; otherwise the next start counts. */
function* ofCounters(looking: Looking): Generator<Finding> {
  if (looking.number(sql`SELECT count(*) FROM flag WHERE name='clean'`) === 0) return;
  const flags = raw(String(FLAG_KEYS.length));
  const counted = sql`SELECT 'node' AS kind,type AS counter,count(*) AS n FROM node GROUP BY type
    UNION ALL SELECT 'rel',type,count(*) FROM rel GROUP BY type
    UNION ALL ${raw(COUNT_FLAGS)}`;
  // Files of before flags were counted have no numbers of them.
  const saved = sql`SELECT kind,type AS counter,n FROM counter WHERE kind<>${WITH_FLAGS}`;
  const should = sql`SELECT kind,counter,n,0 AS saved FROM (${counted}) WHERE kind<>'flag' OR EXISTS (SELECT 1 FROM counter WHERE kind=${WITH_FLAGS})`;
  yield* looking.each(
    sql`SELECT t.text,sum(c.saved),sum(c.n) FROM (${should} UNION ALL SELECT kind,counter,0,n FROM (${saved})) c
      LEFT JOIN name_table t ON t.id=iif(c.kind='flag',c.counter/${flags},c.counter) GROUP BY c.kind,c.counter HAVING sum(c.saved)<>sum(c.n)`,
    ([type, is, real]) => `counter of ${String(type)}: ${String(Number(is))} instead of ${String(real)}`,
  );
}
