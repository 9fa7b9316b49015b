/**
 * Who may what, ordered by principal and type: `access_entry(principal, type, node, rights, links)`. What somebody may see
 * of a type is a range of it in the order of creation; whether somebody has a right on a node is one look-up.
 *
 * An entry of a node's key is what its OWNS and SECURITY relationships say once more; `links` counts those behind it: the
 * one of an owner is mostly granted, too. A flag that is true (`FLAG_KEYS`) is an entry of all rights whose principal is
 * a number below zero.
 */
import type Sqlite from 'better-sqlite3';
import { FLAG_KEYS, type FlagKey, OWNS, SECURITY } from '../../access.js';
import type { GraphRelationship, PropertyMap } from '../../types.js';
import type { Connection } from '../connection/connection.js';
import type { Writer } from '../writing/writer.js';
import { type CounterDelta, flagCounter } from './counters.js';
import type { Names } from '../connection/names.js';
import { jsonPath } from '../connection/parts.js';
import { ALL_RIGHTS, carriesRights, registerRights, RIGHT_BITS, rightsOf } from './rights.js';
import { list, sql } from '../connection/sql.js';

/** The table, and with which format of the file it came. */
export const ACCESS_SCHEMA = `
CREATE TABLE access_entry(principal INTEGER NOT NULL, type INTEGER NOT NULL, node INTEGER NOT NULL,
  rights INTEGER NOT NULL, links INTEGER NOT NULL, PRIMARY KEY(principal, type, node)) WITHOUT ROWID;
`;

/** What stands in the place of a principal in the entries of a flag; keys of nodes are above zero. */
export function flagPrincipal(key: FlagKey): number {
  return -1 - FLAG_KEYS.indexOf(key);
}

const FLAGS = FLAG_KEYS.map((key) => ({ key, principal: flagPrincipal(key) }));

const LINK = `INSERT INTO access_entry(principal,type,node,rights,links) VALUES (?,?,?,?,1)
  ON CONFLICT DO UPDATE SET rights=rights|excluded.rights,links=links+1`;
const ENDS = 'SELECT r.source,n.type,r.target FROM rel r CROSS JOIN node n ON n.pk=r.target WHERE r.pk=?';
const ENTRY = 'WHERE principal=? AND type=? AND node=?';
const UNLINK = `DELETE FROM access_entry ${ENTRY} AND links=1`;
const CHANGE = `UPDATE access_entry SET rights=? ${ENTRY} AND links=1`;
const ALL_BITS = RIGHT_BITS.map((bit) => `max(w.rights&${String(bit)})`).join('|');
/** What several relationships of the same ends give together, without one that goes. */
const RECOUNT = `UPDATE access_entry SET (rights,links)=(SELECT coalesce(${ALL_BITS},0),count(*)
  FROM (SELECT svc_rights(iif(r.relType=?,'${OWNS}','${SECURITY}'),r.props) AS rights FROM rel r
    WHERE r.target=? AND r.relType IN (?,?) AND r.source=? AND r.pk<>?) w) ${ENTRY} AND links>1`;
const FLAG = `INSERT INTO access_entry(principal,type,node,rights,links) VALUES (?,?,?,${String(ALL_RIGHTS)},1)`;
/** After relationships of these ends were deleted. */
const GONE = `DELETE FROM access_entry ${ENTRY} AND NOT EXISTS
  (SELECT 1 FROM rel r WHERE r.target=? AND r.relType IN (?,?) AND r.source=?)`;
const UNFLAG = `DELETE FROM access_entry ${ENTRY}`;
const RETYPE = `UPDATE access_entry SET type=? ${ENTRY}`;

/** Rows at the ends of a relationship; the target is of this type. */
export interface RowEnds {
  readonly source: number;
  readonly type: number;
  readonly target: number;
}

/** A relationship as far as it carries rights. */
type Grant = Pick<GraphRelationship, 'relType' | 'properties'>;

/** Keeps the table while relationships and nodes are written, and the numbers of flags in `delta`, which is of the same transaction. */
export class AccessTable {
  constructor(
    private readonly writer: Connection | Writer,
    private readonly names: Names,
    /** Hears of each node whose entries of owners and grants are written. */
    private readonly touched: (type: number, node: number) => void = () => undefined,
  ) {}

  /** After a node was made. */
  added(type: number, node: number, properties: PropertyMap, delta: CounterDelta): void {
    delta.addFlags(type, properties, 1);
    for (const { key, principal } of FLAGS) {
      if (properties[key] === true) this.writer.write(FLAG, [principal, type, node]);
    }
  }

  /** After a node was deleted, its relationships before it. */
  removed(type: number, node: number, properties: PropertyMap, delta: CounterDelta): void {
    delta.addFlags(type, properties, -1);
    for (const { key, principal } of FLAGS) {
      if (properties[key] === true) this.writer.write(UNFLAG, [principal, type, node]);
    }
  }

  /** After the properties of a node were changed. */
  changed(type: number, node: number, before: PropertyMap, after: PropertyMap, delta: CounterDelta): void {
    for (const { key, principal } of FLAGS) {
      const is = after[key] === true;
      if (is === (before[key] === true)) continue;
      delta.add('flag', flagCounter(type, key), is ? 1 : -1);
      this.writer.write(is ? FLAG : UNFLAG, [principal, type, node]);
    }
  }

  /** After a node with these properties got another type. */
  retyped(node: number, before: number, after: number, properties: PropertyMap, delta: CounterDelta): void {
    delta.addFlags(before, properties, -1);
    delta.addFlags(after, properties, 1);
    for (const { key, principal } of FLAGS) {
      if (properties[key] === true) this.writer.write(RETYPE, [after, principal, before, node]);
    }
    this.touched(before, node);
    const types = [OWNS, SECURITY].flatMap((relType) => this.names.idOf(relType) ?? []);
    if (types.length === 0) return;
    const { text, params } =
      sql`UPDATE access_entry SET type=${after} WHERE principal IN (SELECT source FROM rel WHERE target=${node} AND relType IN (${list(types)})) AND type=${before} AND node=${node}`;
    this.writer.write(text, params);
  }

  /** After a relationship was made from `source` to `target`, a node of this type. */
  linked(source: number, type: number, target: number, { relType, properties }: Grant): void {
    if (!carriesRights(relType)) return;
    this.touched(type, target);
    this.writer.write(LINK, [source, type, target, rightsOf(relType, properties)]);
  }

  /** The same where only its key is known. */
  linkedByKey(pk: number, grant: Grant): void {
    if (!carriesRights(grant.relType)) return;
    const [source, type, target] = this.writer.get(ENDS, [pk]) ?? [];
    this.linked(Number(source), Number(type), Number(target), grant);
  }

  /** A relationship with these ends is deleted; the target is of this type. */
  unlinking(pk: number, ends: RowEnds, { relType }: Pick<Grant, 'relType'>): void {
    if (!carriesRights(relType)) return;
    this.touched(ends.type, ends.target);
    this.writer.write(UNLINK, [ends.source, ends.type, ends.target]);
    this.#recount(ends, pk);
  }

  /** All that `source` may do with `target`, a node of this type, is gone with one of them. */
  holderGone(source: number, type: number, target: number): void {
    this.touched(type, target);
    this.writer.write(UNFLAG, [source, type, target]);
  }

  /** After relationships with these ends were deleted, however many. */
  unlinked(ends: RowEnds): void {
    const { source, type, target } = ends;
    this.touched(type, target);
    const [owns, security] = this.#relTypes();
    this.writer.write(GONE, [source, type, target, target, owns, security, source]);
    this.#recount(ends);
  }

  /** After the properties of a relationship with these ends were changed. */
  regranted({ source, type, target }: RowEnds, { relType, properties }: Grant): void {
    if (relType !== SECURITY) return;
    this.touched(type, target);
    this.writer.write(CHANGE, [rightsOf(relType, properties), source, type, target]);
    this.#recount({ source, type, target });
  }

  /** Nothing happens where one relationship decides. */
  #recount({ source, type, target }: RowEnds, except = 0): void {
    const [owns, security] = this.#relTypes();
    this.writer.write(RECOUNT, [owns, target, owns, security, source, except, source, type, target]);
  }

  #relTypes(): readonly [owns: number, security: number] {
    return [this.names.idOf(OWNS) ?? 0, this.names.idOf(SECURITY) ?? 0];
  }
}

/** Fills the table of a database of an older format: 1 had none, 2 had no flags in it. Inside a transaction. */
export function buildAccessTable(db: Sqlite.Database, format: number): void {
  if (format < 2) buildGrants(db);
  // Row after row in one pass, so that it needs no memory but the page cache.
  const flags = FLAGS.map(() => '(?,?)').join(',');
  db.prepare(
    `INSERT INTO access_entry(principal,type,node,rights,links)
      WITH flag(principal,path) AS (VALUES ${flags}) SELECT f.principal,n.type,n.pk,${String(ALL_RIGHTS)},1
      FROM node n CROSS JOIN flag f WHERE json_type(n.props,f.path)='true'`,
  ).run(...FLAGS.flatMap(({ key, principal }) => [principal, jsonPath(key)]));
}

function buildGrants(db: Sqlite.Database): void {
  db.exec(ACCESS_SCHEMA);
  registerRights(db);
  db.prepare(
    `INSERT INTO access_entry(principal,type,node,rights,links) SELECT w.source,n.type,w.target,${ALL_BITS},count(*)
      FROM (SELECT r.source,r.target,svc_rights(t.text,r.props) AS rights FROM rel r CROSS JOIN name_table t ON t.id=r.relType
        WHERE t.text IN (?,?)) w CROSS JOIN node n ON n.pk=w.target GROUP BY w.source,n.type,w.target`,
  ).run(OWNS, SECURITY);
}
