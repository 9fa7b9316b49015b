/**
 * New nodes as statements, each node together with its relationships to nodes that many of the others are linked to as
 * well: its creator is found once, not twice a node. What all rows have in common is sent once, keys are in the text
 * and not in every row; that is half of the time of writing a thousand objects.
 */
import { Integer } from 'neo4j-driver';
import type { RawProperties } from '../connection/codec.js';
import { COMMON, quoted, relationshipLabel } from '../connection/names.js';
import { listed, type Statement } from '../connection/statement.js';

export interface NewNodeRow {
  /** `:A:B`, ready for a statement. */
  readonly labels: string;
  readonly raw: RawProperties;
}

export interface Link {
  readonly id: string;
  readonly relType: string;
  readonly source: string;
  readonly target: string;
  readonly raw: RawProperties;
}

/** A statement and the number of rows it answers to have written. */
export interface Counted {
  readonly statement: Statement;
  readonly rows: number;
}

/** Rows of one statement. */
export const CHUNK = 2000;
/** Nodes at other ends that a statement matches by name: the planner takes ten seconds for a hundred. */
const MOST_SPOKES = 8;
/** From so many rows on a text of their own pays, which Neo4j has to plan once for each set of keys. */
const COLUMNS_FROM = 16;

/** A relationship that every node of a group has, and the node at its other end. */
interface Spoke {
  readonly relType: string;
  readonly other: string;
  /** The new node is its source. */
  readonly out: boolean;
}

interface Group {
  readonly labels: string;
  readonly spokes: readonly Spoke[];
  /** Of each node its own properties, then those of its spokes. */
  readonly rows: RawProperties[][];
}

/** Statements that create the nodes, and the links that are left to be made after them. */
export function creations(
  nodes: ReadonlyMap<string, NewNodeRow>,
  links: Iterable<Link>,
): { statements: Counted[]; rest: Link[] } {
  const spokes = new Map<string, Map<string, Link>>();
  const uses = new Map<string, number>();
  const rest: Link[] = [];
  for (const link of links) {
    const [own, other] = nodes.has(link.target) ? [link.target, link.source] : [link.source, link.target];
    // Both ends new: the other may come in a later row.
    if (!nodes.has(own) || nodes.has(other)) {
      rest.push(link);
      continue;
    }
    let mine = spokes.get(own);
    if (mine === undefined) spokes.set(own, (mine = new Map<string, Link>()));
    const key = JSON.stringify([link.relType, other, own === link.source]);
    if (mine.has(key)) {
      rest.push(link);
      continue;
    }
    mine.set(key, link);
    uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  const groups = new Map<string, Group>();
  for (const [id, { labels, raw }] of nodes) {
    let name = labels;
    const row = [raw];
    const shared: Spoke[] = [];
    for (const [key, link] of spokes.get(id) ?? []) {
      // Else there would be a statement for each node at the other ends.
      if ((uses.get(key) ?? 0) * 4 < nodes.size || shared.length === MOST_SPOKES) {
        rest.push(link);
        continue;
      }
      const out = link.source === id;
      shared.push({ relType: link.relType, other: out ? link.target : link.source, out });
      name += key;
      row.push(link.raw);
    }
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { labels, spokes: shared, rows: [row] });
    else group.rows.push(row);
  }
  const statements: Counted[] = [];
  for (const { rows, ...group } of groups.values()) {
    for (let at = 0; at < rows.length; at += CHUNK) {
      const part = rows.slice(at, at + CHUNK);
      const make = part.length < COLUMNS_FROM ? byMaps : byColumns;
      statements.push({ statement: make({ ...group, rows: part }), rows: part.length });
    }
  }
  return { statements, rest };
}

function ends(spokes: readonly Spoke[], params: Record<string, unknown>): string {
  return spokes
    .map(({ other }, i) => {
      params[`o${String(i)}`] = other;
      return `MATCH (o${String(i)}:${COMMON} {id: $o${String(i)}}) `;
    })
    .join('');
}

function arrow({ relType, out }: Spoke, i: number, properties: string): string {
  const link = `-[r${String(i)}:${relationshipLabel(relType)}${properties}]-`;
  return out ? ` CREATE (n)${link}>(o${String(i)})` : ` CREATE (o${String(i)})${link}>(n)`;
}

/** The text depends on labels and relationships alone. */
function byMaps({ labels, spokes, rows }: Group): Statement {
  const params: Record<string, unknown> = { rows: listed(rows) };
  const links = spokes.map((spoke, i) => `${arrow(spoke, i, '')} SET r${String(i)} = row[${String(i + 1)}]`).join('');
  const text = `${ends(spokes, params)}UNWIND $rows.all AS row CREATE (n${labels}) SET n = row[0]${links} RETURN count(*)`;
  return { text, params };
}

function byColumns({ labels, spokes, rows }: Group): Statement {
  const params: Record<string, unknown> = {};
  const lists: unknown[][] = rows.map(() => []);
  let columns = 0;
  let constants = 0;
  const maps = [undefined, ...spokes].map((_, at) => {
    const keys = new Set<string>();
    for (const row of rows) for (const key in row[at]) keys.add(key);
    const parts = [...keys].map((key) => {
      const first = rows[0]?.[at]?.[key];
      let value: string;
      if (rows.every((row) => same(row[at]?.[key], first))) {
        value = `$c${String(constants)}`;
        params[`c${String(constants++)}`] = first;
      } else {
        // A missing value is null, which CREATE leaves out.
        for (const [i, row] of rows.entries()) lists[i]?.push(row[at]?.[key] ?? null);
        value = `row[${String(columns++)}]`;
      }
      return `${quoted(key)}: ${value}`;
    });
    return ` {${parts.join(', ')}}`;
  });
  const links = spokes.map((spoke, i) => arrow(spoke, i, maps[i + 1] ?? '')).join('');
  const text = `${ends(spokes, params)}UNWIND $rows.all AS row CREATE (n${labels}${maps[0] ?? ''})${links} RETURN count(*)`;
  params['rows'] = listed(lists);
  return { text, params };
}

function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (!Array.isArray(a)) return a instanceof Integer && b instanceof Integer && a.equals(b);
  return Array.isArray(b) && a.length === b.length && a.every((one, i) => same(one, b[i]));
}
