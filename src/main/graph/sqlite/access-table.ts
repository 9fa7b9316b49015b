/**
 * OWNS and SECURITY relationships once more, ordered by principal and type: `access_entry(principal, type, node, rights,
 * links)`. What somebody may see of a type is a range of it in the order of creation; whether somebody has a right on a
 * node is one look-up. `links` counts the relationships behind an entry: the one of an owner is mostly granted, too.
 */
import type Sqlite from 'better-sqlite3';
import { ALLOWED, OWNS, type Right, SECURITY } from '../access.js';
import type { GraphRelationship, PropertyMap } from '../types.js';
import { decodeProperties } from './codec.js';
import type { Connection } from './connection.js';
import type { Names } from './names.js';
import { list, raw, type Sql, sql } from './sql.js';

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

const LINK = `INSERT INTO access_entry(principal,type,node,rights,links)
  SELECT r.source,n.type,r.target,?,1 FROM rel r CROSS JOIN node n ON n.pk=r.target WHERE r.pk=?
  ON CONFLICT DO UPDATE SET rights=rights|excluded.rights,links=links+1`;
const ENDS = 'SELECT r.source,n.type,r.target FROM rel r CROSS JOIN node n ON n.pk=r.target WHERE r.pk=?';
const ENTRY = 'WHERE principal=? AND type=? AND node=?';
const UNLINK = `DELETE FROM access_entry ${ENTRY} AND links=1`;
const CHANGE = `UPDATE access_entry SET rights=? ${ENTRY} AND links=1`;
const RECOUNT = `UPDATE access_entry SET rights=?,links=? ${ENTRY}`;

/** Keeps the table while relationships and nodes are written. */
export class AccessTable {
  constructor(
    private readonly writer: Connection,
    private readonly names: Names,
  ) {}

  /** After a relationship with this key was made. */
  linked(pk: number, { relType, properties }: Pick<GraphRelationship, 'relType' | 'properties'>): void {
    if (carriesRights(relType)) this.writer.run(LINK, [rightsOf(relType, properties), pk]);
  }

  /** Before a relationship is deleted. */
  unlinking(pk: number, { relType }: Pick<GraphRelationship, 'relType'>): void {
    if (!carriesRights(relType)) return;
    const entry = this.writer.get(ENDS, [pk]);
    if (entry !== undefined && this.writer.run(UNLINK, entry) === 0) this.#recount(entry.map(Number), pk);
  }

  /** After the properties of a relationship were changed. */
  changed(pk: number, { relType, properties }: Pick<GraphRelationship, 'relType' | 'properties'>): void {
    if (relType !== SECURITY) return;
    const entry = this.writer.get(ENDS, [pk]);
    if (entry === undefined) return;
    if (this.writer.run(CHANGE, [rightsOf(relType, properties), ...entry]) === 0) this.#recount(entry.map(Number));
  }

  /** After a node got another type. */
  retyped(node: number, before: number, after: number): void {
    const types = [OWNS, SECURITY].flatMap((relType) => this.names.idOf(relType) ?? []);
    if (types.length === 0) return;
    const { text, params } =
      sql`UPDATE access_entry SET type=${after} WHERE principal IN (SELECT source FROM rel WHERE target=${node} AND relType IN (${list(types)})) AND type=${before} AND node=${node}`;
    this.writer.run(text, params);
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
    this.writer.run(RECOUNT, [rights, links, principal, type, node]);
  }
}

/** Fills the table of a database from before it had one. Inside a transaction. */
export function buildAccessTable(db: Sqlite.Database): void {
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

/** Keys of principals, as an index of the table takes them. */
export function principalKeys(ids: readonly string[]): Sql {
  return sql`SELECT pk FROM node WHERE id IN (${list(ids)})`;
}

/** That one of the principals has the right on the node with these expressions for type and key. */
export function hasRight(principals: readonly string[], right: Right, type: Sql, pk: Sql): Sql {
  return sql`EXISTS (SELECT 1 FROM access_entry ae WHERE ae.principal IN (${principalKeys(principals)}) AND ae.type=${type} AND ae.node=${pk} AND ae.rights&${raw(String(BITS[right]))})`;
}
