import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Store, storeObject, Stores, ValueCache } from '../../src/main/scripting/run/stores/stores.js';
import { ScriptCallable, ScriptPredicate, type ScriptValue } from '../../src/main/scripting/language/values.js';
import { ScriptWorld } from './support.js';

let world: ScriptWorld;
beforeAll(async () => {
  world = await ScriptWorld.open();
});
afterAll(() => world.close());

describe('a store', () => {
  it('keeps copies', () => {
    const { run } = world.context();
    const store = new Store('The store', 10_000);
    const list: ScriptValue[] = ['a', new Map([['b', new Date(5)]]), new Uint8Array([1])];
    store.set('x', list);
    list.push('c');
    expect(store.get('x', run)).toEqual(['a', new Map([['b', new Date(5)]]), new Uint8Array([1])]);
    expect(store.has('x')).toBe(true);
    expect(store.keys()).toEqual(['x']);
    store.set('x', null);
    expect(store.has('x')).toBe(false);
    expect(store.get('x', run)).toBe(null);
  });

  it('has an end, which what is taken out moves', () => {
    const store = new Store('The store', 1000);
    store.set('a', 'x'.repeat(400));
    expect(() => {
      store.set('b', 'x'.repeat(400));
    }).toThrow('The store is full');
    store.set('a', 'x'.repeat(410));
    store.delete('a');
    store.set('b', 'x'.repeat(400));
    expect(store.keys()).toEqual(['b']);
  });

  it('refuses what ends with its script, and what holds itself', () => {
    const store = new Store('The store', 100_000);
    const self: ScriptValue[] = [];
    self.push(self);
    const set = (value: ScriptValue) => () => {
      store.set('x', value);
    };
    expect(set(new ScriptCallable(() => Promise.resolve(null)))).toThrow('cannot keep this: A function');
    expect(set([new ScriptPredicate('equals', [])])).toThrow('cannot keep this: A predicate');
    expect(set(storeObject(store, world.context().run))).toThrow('cannot keep this: The store');
    expect(set(self)).toThrow('holds itself');
  });

  it('answers objects as they are now', async () => {
    const id = await world.create('Folder', { name: 'before' });
    const store = new Store('The store', 10_000);
    store.set('x', new Map([['object', await world.entity(id, world.context())]]));
    await world.graph.write((tx) => tx.updateNode(id, { name: 'after' }));
    const context = world.context();
    const found = store.get('x', context.run);
    const object = found instanceof Map ? found.get('object') : undefined;
    expect(object).toBe(await world.entity(id, context));
    const later = world.context();
    const again = store.get('x', later.run);
    const one = again instanceof Map ? again.get('object') : undefined;
    if (one === undefined || one === null || typeof one !== 'object' || !('entity' in one))
      throw new Error('no object');
    expect(await later.run.entities.get(one, 'name', later)).toBe('after');
  });
});

describe('sessions', () => {
  it('of those not used for longest lose their attributes', () => {
    const { run } = world.context();
    const stores = new Stores();
    stores.session('first').set('a', 1n);
    stores.session('second').set('a', 2n);
    for (let i = 0; i < 4998; i++) stores.session(String(i));
    stores.session('first');
    stores.session('one more');
    expect(stores.session('first').get('a', run)).toBe(1n);
    expect(stores.session('second').get('a', run)).toBe(null);
  });
});

describe('the cache', () => {
  it('forgets the oldest values first', () => {
    const { run } = world.context();
    const cache = new ValueCache(8000);
    for (const key of 'abcdefghij') cache.set(key, 'x'.repeat(400), 60);
    expect(cache.get('a', run)).toBe(undefined);
    expect(cache.get('b', run)).toBe('x'.repeat(400));
    expect(cache.get('j', run)).toBe('x'.repeat(400));
    cache.set('k', 'x'.repeat(600), 60);
    expect(cache.has('k')).toBe(false);
    expect(cache.has('b')).toBe(true);
    cache.set('k', new ScriptPredicate('equals', []), 60);
    expect(cache.has('k')).toBe(false);
  });
});
