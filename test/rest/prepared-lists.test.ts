/** What is kept of lists that are answered at once stays within its bounds, however many users ask for however many pages. */
import { expect, test } from 'vitest';
import type { AccessRule, NodeQuery } from '../../src/main/graph/index.js';
import { type PreparedList, PreparedLists } from '../../src/main/rest/prompt/prepared-lists.js';

const rule = (): AccessRule => ({ right: 'read', principals: [], ids: [], types: [], keys: [] });
const list = (offset: number): PreparedList => ({
  page: { page: 1, size: 10 },
  query: { kind: 'nodes', offset },
  offset,
  limit: 10,
  most: 100,
});

test('each user has his own query of a list, the same one each time', () => {
  const lists = new PreparedLists();
  const [one, other] = [rule(), rule()];
  const first = list(0);
  const make = (): NodeQuery => ({ ...first.query });
  const query = lists.queryOf(first, one, make);
  expect(lists.queryOf(first, one, make)).toBe(query);
  expect(lists.queryOf(first, other, make)).not.toBe(query);
  expect(lists.queryOf(list(10), one, make)).not.toBe(query);
});

test('there are no more queries than a bound, whoever asks', () => {
  const lists = new PreparedLists();
  const pages = Array.from({ length: 200 }, (_, i) => list(i));
  const rules = Array.from({ length: 200 }, rule);
  for (const one of rules) for (const page of pages) lists.queryOf(page, one, () => ({ ...page.query }));
  let kept = 0;
  for (const one of rules.reverse()) {
    for (const page of pages) {
      let isMade = false;
      lists.queryOf(page, one, () => {
        isMade = true;
        return page.query;
      });
      if (isMade) {
        // Asking for more would make what is counted go.
        expect(kept).toBeGreaterThan(0);
        expect(kept).toBeLessThanOrEqual(10_000);
        return;
      }
      kept++;
    }
  }
  expect.unreachable('all of them are kept');
});
