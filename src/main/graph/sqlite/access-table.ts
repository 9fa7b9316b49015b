/**
 * Who may what, ordered by principal and type: `access_entry(principal, type, node, rights, links)`. What somebody may see
 * of a type is a range of it in the order of creation; whether somebody has a right on a node is one look-up.
 *
 * An entry of a node's key is what its OWNS and SECURITY relationships say once more; `links` counts those behind it: the
 * one of an owner is mostly granted, too. A flag that is true (`FLAG_KEYS`) is an entry of all rights whose principal is
 * a number below zero.
 */
import type Sqlite from 'better-sqlite3';
import { ALLOWED, FLAG_KEYS, type FlagKey, OWNS, type Right, SECURITY } from '../access.js';
import type { GraphRelationship, PropertyMap } from '../types.js';
import { decodeProperties } from './codec.js';
import type { Connection } from './connection.js';
import type { Writer } from './writer.js';
import type { Names } from './names.js';
import { jsonPath } from './parts.js';
import { list, sql } from './sql.js';

/** The table, and with which format of the file it came. */
export const ACCESS_SCHEMA = `
CREATE TABLE access_entry(principal INTEGER NOT NULL, type INTEGER NOT NULL, node INTEGER NOT NULL,
  rights INTEGER NOT NULL, links INTEGER NOT NULL, PRIMARY KEY(principal, type, node)) WITHOUT ROWID;
`;

const BITS: Readonly<Record<Right, number>> = { read: 1, write: 2, delete: 4, accessControl: 8 };
const ALL_RIGHTS = 15;

/** The bit of a right in `rights`. */
export function rightBit(right: Right): number {
  return BITS[right];
}

/** What stands in the place of a principal in the entries of a flag; keys of nodes are above zero. */
export function flagPrincipal(key: FlagKey): number {
  return -1 - FLAG_KEYS.indexOf(key);
}

const FLAGS = FLAG_KEYS.map((key) => ({ key, principal: flagPrincipal(key) }));

function carriesRights(relType: string): boolean {
  return relType === OWNS || relType === SECURITY;
}

/** The rights that a relationship of one of the two types gives. */
function rightsOf(relType: string, properties: PropertyMap): number {
  if (relType === OWNS) return ALL_RIGHTS;
  const allowed = properties[ALLOWED];
  let rights = 0;
  if (typeof allowed !== 'object') return rights;
  for (const right of allowed) if (isRight(right)) rights |= BITS[right];
  return rights;
}

function isRight(value: unknown): value is Right {
  return typeof value === 'string' && Object.hasOwn(BITS, value);
}

const LINK = `INSERT INTO access_entry(principal,type,node,rights,links) VALUES (?,?,?,?,1)
  ON CONFLICT DO UPDATE SET rights=rights|excluded.rights,links=links+1`;
const ENDS = 'SELECT r.source,n.type,r.target FROM rel r CROSS JOIN node n ON n.pk=r.target WHERE r.pk=?';
const ENTRY = 'WHERE principal=? AND type=? AND node=?';
const UNLINK = `DELETE FROM access_entry ${ENTRY} AND links=1`;
const CHANGE = `UPDATE access_entry SET rights=? ${ENTRY} AND links=1`;
const RECOUNT = `UPDATE access_entry SET rights=?,links=? ${ENTRY}`;
const FLAG = `INSERT INTO access_entry(principal,type,node,rights,links) VALUES (?,?,?,${String(ALL_RIGHTS)},1)`;
const UNFLAG = `DELETE FROM access_entry ${ENTRY}`;
const RETYPE = `UPDATE access_entry SET type=? ${ENTRY}`;

/** A relationship as far as it carries rights. */
type Grant = Pick<GraphRelationship, 'relType' | 'properties'>;

/** Keeps the table while relationships and nodes are written. */
export class AccessTable {
  constructor(
    private readonly writer: Connection | Writer,
    private readonly names: Names,
    /** Hears of each node whose entries of owners and grants are written. */
    private readonly touched: (type: number, node: number) => void = () => undefined,
  ) {}

  /** After a node was made. */
  added(type: number, node: number, properties: PropertyMap): void {
    for (const { key, principal } of FLAGS) {
      if (properties[key] === true) this.writer.write(FLAG, [principal, type, node]);
    }
  }

  /** After a node was deleted, its relationships before it. */
  removed(type: number, node: number, properties: PropertyMap): void {
    for (const { key, principal } of FLAGS) {
      if (properties[key] === true) this.writer.write(UNFLAG, [principal, type, node]);
    }
  }

  /** After the properties of a node were changed. */
  changed(type: number, node: number, before: PropertyMap, after: PropertyMap): void {
    for (const { key, principal } of FLAGS) {
      const is = after[key] === true;
      if (is !== (before[key] === true)) this.writer.write(is ? FLAG : UNFLAG, [principal, type, node]);
    }
  }

  /** After a node with these properties got another type. */
  retyped(node: number, before: number, after: number, properties: PropertyMap): void {
    for (const { key, principal } of FLAGS) {
      if (properties[key] === true) this.writer.write(RETYPE, [after, principal, before, node]);
    }
    this.touched(before, node);
    const types = [OWNS, SECURITY].flatMap((relType) => this.names.idOf(relType) ?? []);
    if (types.length === 0) return;
    const { text, params } =
      sql`UPDATE access_entry SET type=${after} WHERE principal IN (SELECT source FROM rel WHERE target=${node} AND relType IN (${list(types)})) AND type=${before} AND node=${node}`;
    this.writer.run(text, params);
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

  /** Before a relationship is deleted. */
  unlinking(pk: number, { relType }: Pick<Grant, 'relType'>): void {
    if (!carriesRights(relType)) return;
    const entry = this.writer.get(ENDS, [pk]);
    if (entry === undefined) return;
    this.touched(Number(entry[1]), Number(entry[2]));
    if (this.writer.run(UNLINK, entry) === 0) this.#recount(entry.map(Number), pk);
  }

  /** After the properties of a relationship were changed. */
  regranted(pk: number, { relType, properties }: Grant): void {
    if (relType !== SECURITY) return;
    const entry = this.writer.get(ENDS, [pk]);
    if (entry === undefined) return;
    this.touched(Number(entry[1]), Number(entry[2]));
    if (this.writer.run(CHANGE, [rightsOf(relType, properties), ...entry]) === 0) this.#recount(entry.map(Number));
  }

  /** What several relationships of the same ends give together; without `except`, which goes. */
  #recount([principal = 0, type = 0, node = 0]: readonly number[], except = 0): void {
    let rights = 0;
    let links = 0;
    for (const relType of [OWNS, SECURITY]) {
      const rows = this.writer.all('SELECT props FROM rel WHERE target=? AND relType=? AND source=? AND pk<>?', [
        node,
        this.names.idOf(relType) ?? 0,
        principal,
        except,
      ]);
      for (const [props] of rows) {
        rights |= rightsOf(relType, typeof props === 'string' ? decodeProperties(props) : {});
        links++;
      }
    }
    this.writer.write(RECOUNT, [rights, links, principal, type, node]);
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
  db.function('svc_rights', { deterministic: true }, (relType: unknown, props: unknown) =>
    rightsOf(String(relType), typeof props === 'string' ? decodeProperties(props) : {}),
  );
  const bits = Object.values(BITS).map((bit) => `max(w.rights&${String(bit)})`);
  db.prepare(
    `INSERT INTO access_entry(principal,type,node,rights,links) SELECT w.source,n.type,w.target,${bits.join('|')},count(*)
      FROM (SELECT r.source,r.target,svc_rights(t.text,r.props) AS rights FROM rel r CROSS JOIN name_table t ON t.id=r.relType
        WHERE t.text IN (?,?)) w CROSS JOIN node n ON n.pk=w.target GROUP BY w.source,n.type,w.target`,
  ).run(OWNS, SECURITY);
}
