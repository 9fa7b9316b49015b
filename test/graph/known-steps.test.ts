/** What is known of how long a statement takes before it runs (docs/design/sqlite.md 8). */
import { expect, it } from 'vitest';
import type { NodeQuery } from '../../src/main/graph/index.js';
import type { Catalog } from '../../src/main/graph/sqlite/query/catalog.js';
import { compileNodes } from '../../src/main/graph/sqlite/query/compile-nodes.js';

const NUMBERS: Readonly<Record<string, number>> = { Thing: 1, number: 2, category: 3, HAS: 4, Hub: 5, Other: 6 };
const cut = { offset: 0, limit: 20 };
const nodes = { kind: 'nodes', trait: 'Thing', types: ['Thing'] } as const;
const where = { op: 'equals', key: 'category', value: 'c1' } as const;
const sorted: NodeQuery = {
  ...{ ...nodes, limit: 20, sort: [{ key: 'number' }] },
  where,
};
const linked: NodeQuery = {
  ...nodes,
  from: { id: 'hub', step: { relType: 'HAS', direction: 'out', types: ['Thing'] } },
};

/** A million things, of which so many have each value, linked to from hubs of types that may be more. */
function catalog(matches: number, far: readonly string[] = ['Thing']): Catalog {
  return {
    idOf: (name) => NUMBERS[name],
    indexed: (_, key) => NUMBERS[key],
    nodes: () => 1_000_000,
    relationships: () => 1_000_000,
    flagged: () => undefined,
    farTypes: () => new Set(far.flatMap((name) => NUMBERS[name] ?? [])),
    probe: (_, limit) => Math.min(matches, limit),
    later: false,
  };
}

it('a walk that asks each entry whether it is in a set takes as many as lie before the last of the page', () => {
  const plan = compileNodes(sorted, catalog(1000));
  expect(plan.keys(cut).steps).toBe(20_000);
  expect(plan.keys({ offset: 20, limit: 20 }).steps).toBe(40_000);
  // No more than there are.
  expect(plan.keys({ offset: 0, limit: -1 }).steps).toBe(1_000_000);
  expect(compileNodes(sorted, catalog(20_000)).keys(cut).steps).toBe(1000);
});

it('nothing is known where rows are read, or an index is asked for each entry', () => {
  expect(compileNodes(sorted, catalog(50_000)).keys(cut).steps).toBeUndefined();
  const more: NodeQuery = { ...sorted, sort: [{ key: 'number' }, { key: 'title' }] };
  expect(compileNodes(more, catalog(1000)).keys(cut).steps).toBeUndefined();
  expect(compileNodes({ ...nodes, where }, catalog(1000)).keys(cut).steps).toBeUndefined();
});

it('a count of what is linked looks twice for each, at most, unless it may be much or more is asked of each', () => {
  expect(compileNodes(linked, catalog(10_000)).count(10_001).steps).toBe(20_002);
  expect(compileNodes(linked, catalog(10_000)).count(1_000_000).steps).toBeUndefined();
  expect(compileNodes(linked, catalog(10_000)).count(-1).steps).toBeUndefined();
  // Of types that are not asked for each has to be left out.
  expect(compileNodes(linked, catalog(10_000, ['Thing', 'Other'])).count(10_001).steps).toBeUndefined();
});
