/** Texts that are kept with nodes: for as long as the cache has the node, within its bounds, and known to nobody else. */
import { describe, expect, it } from 'vitest';
import { KeptNode } from '../../src/main/graph/kept-node.js';
import { NodeCache } from '../../src/main/graph/sqlite/caches/node-cache.js';

const FORM = {};

function node(i: number): KeptNode {
  return new KeptNode(String(i), 'Thing', { value: i });
}

function put(cache: NodeCache, one: KeptNode): void {
  cache.put({ pk: Number(one.id), node: one, size: 100, used: false, at: -1 });
}

function keep(one: KeptNode, text: string, form = FORM): void {
  KeptNode.made(one, form, text);
  KeptNode.made(one, form, text);
}

describe('texts of nodes', () => {
  it('are kept the second time, each by its form', () => {
    const [cache, one, other] = [new NodeCache(), node(1), {}];
    put(cache, one);
    KeptNode.made(one, FORM, 'text');
    expect(KeptNode.textOf(one, FORM)).toBeUndefined();
    KeptNode.made(one, FORM, 'text');
    expect(KeptNode.textOf(one, FORM)).toBe('text');
    expect(KeptNode.textOf(one, other)).toBeUndefined();
    keep(one, 'other', other);
    expect([KeptNode.textOf(one, FORM), KeptNode.textOf(one, other)]).toEqual(['text', 'other']);
  });

  it('are the last ones of more forms than are kept: those of a schema that has changed make room', () => {
    const [cache, one] = [new NodeCache(), node(1)];
    put(cache, one);
    const { size } = cache;
    const forms = Array.from({ length: 10 }, () => ({}));
    for (const [i, form] of forms.entries()) keep(one, 'x'.repeat(100 * i), form);
    expect(forms.map((form) => KeptNode.textOf(one, form)?.length)).toEqual([
      ...Array.from({ length: 6 }, () => undefined),
      ...[600, 700, 800, 900],
    ]);
    expect(cache.size).toBe(size + 600 + 700 + 800 + 900 + 4 * 64);
    // What is written once takes the place of none.
    for (const form of forms.slice(0, 6)) KeptNode.made(one, form, 'once');
    expect(forms.filter((form) => KeptNode.textOf(one, form) !== undefined)).toEqual(forms.slice(6));
    cache.delete('1');
    expect(cache.size).toBe(0);
  });

  it('are of this very node: copies and later ones have none', () => {
    const [cache, one] = [new NodeCache(), node(1)];
    put(cache, one);
    keep(one, 'text');
    expect(KeptNode.textOf({ ...one }, FORM)).toBeUndefined();
    expect({ ...one }).toEqual({ kind: 'node', id: '1', type: 'Thing', properties: { value: 1 } });
    put(cache, node(1));
    expect(KeptNode.textOf(one, FORM)).toBeUndefined();
    keep(one, 'text');
    expect(KeptNode.textOf(one, FORM)).toBeUndefined();
  });

  it('go with the node, and count like its properties', () => {
    const [cache, one] = [new NodeCache(), node(1)];
    put(cache, one);
    const { size } = cache;
    keep(one, 'x'.repeat(1000));
    expect(cache.size).toBeGreaterThanOrEqual(size + 1000);
    cache.delete('1');
    expect(cache.size).toBe(0);
    expect(KeptNode.textOf(one, FORM)).toBeUndefined();
    put(cache, one);
    expect(cache.size).toBe(size);
  });

  it('make the cache drop nodes when there are too many of them', () => {
    const cache = new NodeCache();
    const nodes = Array.from({ length: 6000 }, (_, i) => node(i));
    const text = 'x'.repeat(15_000);
    for (const one of nodes) {
      put(cache, one);
      keep(one, text);
    }
    expect(cache.size).toBeLessThanOrEqual(64_000_000);
    expect(cache.count).toBeLessThan(5000);
    const kept = nodes.filter((one) => KeptNode.textOf(one, FORM) !== undefined);
    expect(kept.length).toBe(cache.count);
  });
});

describe('nodes that are read by their id', () => {
  /** Nodes that are kept whoever asks: an eighth of the room. */
  const EVERY = 10;
  const offer = (cache: NodeCache, one: KeptNode, size = 100): void => {
    cache.offer({ pk: Number(one.id), node: one, size, used: false, at: -1 });
  };
  /** A cache that has as many as are kept without being asked for again. */
  const filled = (): NodeCache => {
    const cache = new NodeCache(EVERY * 8 * 452);
    for (let i = 1; i <= EVERY; i++) offer(cache, node(i));
    return cache;
  };

  it('are all kept while there is much room, then when they are asked for again', () => {
    const cache = filled();
    expect(cache.count).toBe(EVERY);
    offer(cache, node(100));
    expect([cache.count, cache.get('100')]).toEqual([EVERY, undefined]);
    offer(cache, node(200));
    offer(cache, node(100));
    expect(cache.get('100')?.pk).toBe(100);
    expect(cache.get('200')).toBeUndefined();
    // What a list shows is kept at once.
    put(cache, node(300));
    expect(cache.get('300')?.pk).toBe(300);
  });

  it('are known by all of their key, and forgotten with everything else', () => {
    const cache = filled();
    for (let i = 1000; i < 21_000; i++) offer(cache, node(i));
    expect(cache.count).toBe(EVERY);
    offer(cache, node(20_500));
    expect(cache.get('20500')?.pk).toBe(20_500);
    cache.clear();
    for (let i = 1; i <= EVERY; i++) offer(cache, node(i));
    offer(cache, node(20_501));
    expect(cache.get('20501')).toBeUndefined();
  });

  it('are shared while they are used, however scarce room is, if they are large', () => {
    const cache = filled();
    const large = node(100);
    offer(cache, large, 100_000);
    expect(cache.get('100')?.node).toBe(large);
  });
});
