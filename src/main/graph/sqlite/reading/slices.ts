/**
 * Long scans inside a write transaction. They must see its writes, so they cannot go to a worker; they run on
 * the writer's connection over slices of the key space, and the loop gets its turn between two slices.
 */
import type { SortKey } from '../../query.js';
import type { Plan } from '../query/plan.js';
import { nextTurn } from '../connection/pace.js';
import type { Store } from './store.js';
import { timedOut } from '../scans/scans.js';
import type { Unit } from '../writing/unit.js';
import type { SqlValue } from '../connection/values.js';

const SLICE_TIME = 4;
const FIRST_WIDTH = 1024;

/**
 * Keys of all matches, without regard to offset and limit. `sort`: that of the plan; nothing: in no order. `enough`: stop after so many (counting).
 */
export async function scanInSlices(
  store: Store,
  unit: Unit,
  plan: Plan,
  table: 'node' | 'rel',
  sort: readonly SortKey[],
  deadline: number,
  enough = Infinity,
): Promise<number[]> {
  const top = Number(store.writer.get(`SELECT max(pk) FROM ${table}`, [])?.[0] ?? 0);
  const found: SqlValue[][] = [];
  let width = FIRST_WIDTH;
  for (let above = 0; above < top && found.length < enough;) {
    const upTo = above + width;
    const began = performance.now();
    const { text, params } = plan.keys({ offset: 0, limit: -1, slice: { above, upTo } });
    // Sort values may be 64-bit integers: a statement of its own, as exact values are slower for all others.
    const statement = store.writer.exact(text);
    for (const row of statement.all(...params)) found.push(row);
    const took = performance.now() - began;
    above = upTo;
    if (took > SLICE_TIME) width = Math.max(64, width >> 1);
    else if (took < SLICE_TIME / 2) width *= 2;
    await nextTurn();
    unit.check();
    if (Date.now() > deadline) throw timedOut();
  }
  if (sort.length > 0) found.sort((a, b) => compareRows(a, b, sort));
  return found.map((row) => Number(row[0]));
}

function compareRows(a: readonly SqlValue[], b: readonly SqlValue[], sort: readonly SortKey[]): number {
  for (let i = 0; i < sort.length; i++) {
    const order = compareValues(a[i + 1] ?? null, b[i + 1] ?? null);
    if (order !== 0) return sort[i]?.descending === true ? -order : order;
  }
  const ties = Number(a[0]) - Number(b[0]);
  return sort[sort.length - 1]?.descending === true ? -ties : ties;
}

function rank(value: SqlValue): number {
  return typeof value === 'string' ? 1 : typeof value === 'object' ? 2 : 0;
}

/** SQLite's order: numbers, texts by code point, blobs. */
export function compareValues(a: SqlValue, b: SqlValue): number {
  const kind = rank(a);
  const difference = kind - rank(b);
  if (difference !== 0) return difference;
  if (kind === 0) return (a ?? 0) < (b ?? 0) ? -1 : (a ?? 0) > (b ?? 0) ? 1 : 0;
  return Buffer.compare(Buffer.from(a as string), Buffer.from(b as string));
}
