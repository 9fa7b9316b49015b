/** Ways into a query of nodes, and what tells which is the shorter one. */
import type { AccessRule } from '../../access.js';
import type { NodeQuery } from '../../query.js';
import type { Branch } from './plan.js';
import type { Sql } from '../connection/sql.js';

/** Entries of an index that a page may be away from its beginning and still count as a short walk. */
export const SHORT_WALK = 4000;
/** Matches that are counted at once where each is an entry of an index, and no more. */
export const SHORT_COUNT = 12_000;
/** A set of at most this many nodes is sorted rather than walking the index of the sort key. */
export const SMALL_SET = 2000;
/** What a row with its JSON costs, measured by what an entry of an index does that is looked for in a set (bench/notes.md). */
const GATHERING = 150;
/** So few linked nodes are sorted by their keys rather than read in the order of linking. */
export const FEW_LINKS = 100;
/** A visible set of more nodes than this is never made whole. */
export const LARGE_SET = 10 * SMALL_SET;

export interface Entry {
  readonly branches: readonly Branch[];
  readonly worst: number;
  /** The branches already deliver the order. */
  readonly ordered: boolean;
  /** Entered by a set of keys, which is made anew each time. */
  readonly set?: boolean;
  /** All keys are few enough to be kept. */
  readonly few?: boolean;
  /** Branches may have rows in common. */
  readonly once?: boolean;
  /** In the order of linking. */
  readonly linked?: boolean;
  /** Only to be counted: keys may come more than once. */
  readonly repeats?: boolean;
  /** Entries of indexes that are looked at for each match, about; absent: nobody knows, or rows are read as well. */
  readonly entries?: number | undefined;
}

/** What a rule allows, entered by the indexes that know it. */
export interface Visible {
  readonly rule: AccessRule;
  readonly sources: readonly Sql[];
  /** Not less than their number. Infinity: too many to count. */
  readonly count: number;
}

type Page = Pick<NodeQuery, 'limit' | 'offset'>;

/** Nodes that are looked at, one after the other, until a page is full of those of which there are `some` among all of them. */
function stepsTo({ limit, offset }: Page, some: number, total: number): number {
  return limit === undefined ? total : Math.min(total, ((limit + (offset ?? 0)) * total) / Math.max(1, some));
}

/**
 * Whether a page of so many linked nodes is found sooner by walking all nodes in order and asking each whether it is linked: so it is when most
 * are, and sorting 100,000 of them for each page would be slow.
 */
export function walksLinked(page: Page, degree: number, total: number): boolean {
  if (page.limit === undefined || degree <= FEW_LINKS) return false;
  return stepsTo(page, degree, total) <= Math.max(degree, 2 * SMALL_SET);
}

/**
 * Whether a sorted page is found sooner by gathering all matches, whose values stand in their rows, than by walking the index of the sort key and
 * asking each node whether it is among them.
 */
export function gathersSooner(page: Page, matches: number, total: number): boolean {
  return matches <= LARGE_SET && matches * GATHERING <= stepsTo(page, matches, total);
}

/** Whether a page is found sooner by asking node after node than by finding and sorting so many that may be seen. */
export function walksSooner(page: Page, count: number, total: number): boolean {
  return page.limit !== undefined && stepsTo(page, count, total) < count;
}
